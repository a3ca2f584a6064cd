/**
 * Serverless plugin: checks a deployment before anything is created (`serverless check`, and at the start of `deploy`),
 * adapts it to the account, finishes its table, and prints after a removal which table and key are kept.
 */
import type { Deployment, Log, Options } from '../deployment/deployment.ts'
import type { Serverless } from '../service.ts'

export default class DeploymentPlugin {
  readonly commands = {
    // Not `doctor`: Serverless has a command of that name, without a stage.
    check: {
      usage: 'Check settings, account and template before anything is created',
      lifecycleEvents: ['run'],
      options: {
        json: { usage: 'Write the findings as JSON', type: 'boolean' },
        // Serverless defines these two for its own commands only.
        stage: { usage: 'Stage to deploy', shortcut: 's', type: 'string' },
        region: { usage: 'Region to deploy to', shortcut: 'r', type: 'string' },
      },
    },
  }
  readonly hooks: Record<string, () => Promise<void>>

  constructor(serverless: Serverless, options: Options, { log }: { log: Log }) {
    let loaded: Promise<Deployment> | undefined
    // Loaded here: every serverless command loads the plugins.
    const load = async () => new (await import('../deployment/deployment.ts')).Deployment(serverless, options, log)
    const deployment = () => {
      loaded ??= load()
      return loaded
    }
    const isDeploy = () => serverless.processedInput.commands.join(' ') === 'deploy'
    this.hooks = {
      initialize: async () => {
        // The next deployment would be rejected until the rollback has ended.
        options.verbose = true
        if (isDeploy()) (await deployment()).checkPlan()
      },
      'check:run': async () => (await deployment()).check(),
      'before:package:cleanup': async () => {
        if (isDeploy()) await (await deployment()).checkAccount()
      },
      // When all other plugins have added to the template, such as roles that refer to the table.
      'before:aws:package:finalize:saveServiceState': async () => (await deployment()).fitTemplate(),
      'before:aws:deploy:deploy:createStack': async () => (await deployment()).checkPackaged(),
      'after:deploy:deploy': async () => (await deployment()).finishTable(),
      'before:remove:remove': async () => (await deployment()).readRemaining(),
      'after:remove:remove': async () => (await deployment()).printRemaining(),
    }
  }
}
