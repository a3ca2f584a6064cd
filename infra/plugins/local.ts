/** Serverless plugin: `serverless local`, the service on this machine. */
import type { Serverless } from '../service.ts'

export default class Local {
  readonly commands = { local: { usage: 'Run the service on this machine', lifecycleEvents: ['start'] } }
  readonly hooks: Record<string, () => Promise<void>>

  constructor(_serverless: Serverless) {
    this.hooks = {}
  }
}
