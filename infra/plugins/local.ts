/**
 * Serverless plugin: `serverless offline start`, the service on this machine, and `serverless invoke local` on its
 * table.
 */
import type { LocalOptions } from '../local/run.ts'
import type { Serverless } from '../service.ts'

/** The supported options of serverless-offline. */
const OPTIONS = {
  httpPort: { type: 'string', usage: 'Port to listen on; PORT, or 3000' },
  host: { type: 'string', usage: 'Address of this machine to listen on; 127.0.0.1' },
}

export default class Local {
  readonly commands = {
    offline: {
      usage: 'Run the service on this machine',
      lifecycleEvents: ['start'],
      options: OPTIONS,
      commands: {
        start: { usage: 'Run the service on this machine', lifecycleEvents: ['start'], options: OPTIONS },
      },
    },
  }
  readonly hooks: Record<string, () => Promise<void>>
  #invocation: AsyncDisposable | undefined

  constructor(serverless: Serverless, options: LocalOptions & { data?: unknown }) {
    // Modules are loaded in the hooks: every serverless command loads the plugins.
    const run = async () => (await import('../local/run.ts')).run(serverless, options)
    const end = async () => this.#invocation?.[Symbol.asyncDispose]()
    this.hooks = {
      initialize: async () => {
        if (serverless.processedInput.commands.join(' ') !== 'invoke local') return
        this.#invocation = await (await import('../local/invoke.ts')).prepareInvocation(serverless)
      },
      // The CLI has read --data, --path or its input by now.
      'before:invoke:local:invoke': async () => {
        if (options.data === '') options.data = (await import('../local/invoke.ts')).EMPTY_REQUEST
      },
      finalize: end,
      error: end,
      'offline:start': run,
      'offline:start:start': run,
    }
  }
}
