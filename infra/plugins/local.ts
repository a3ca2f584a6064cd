/** Serverless plugin: `serverless local`, the service on this machine. */
import type { Serverless } from '../service.ts'

export default class Local {
  readonly commands = { local: { usage: 'Run the service on this machine', lifecycleEvents: ['start'] } }
  readonly hooks: Record<string, () => Promise<void>>

  constructor(serverless: Serverless) {
    this.hooks = {
      'local:start': async () => {
        // Loaded here: every serverless command loads the plugins.
        const { run } = await import('../local/run.ts')
        await run(serverless)
      },
    }
  }
}
