/**
 * Serverless plugin: moves settings that may be long from the functions' environment into a file beside their code.
 * Runs before bundle.ts.
 */
import type { PluginTools, Serverless } from '../service.ts'

export default class PackedSettings {
  readonly hooks: Record<string, () => Promise<void>>

  constructor(serverless: Serverless, { force = false }: { force?: boolean }, { log }: PluginTools) {
    // Loaded here: every serverless command loads the plugins.
    const pack = async () => (await import('../deployment/pack-settings.ts')).packSettings(serverless, force, log)
    this.hooks = {
      'before:package:createDeploymentArtifacts': async () => {
        serverless.service.provider.compiledCloudFormationTemplate.Metadata = await pack()
      },
      'before:deploy:function:packageFunction': async () => {
        await pack()
      },
    }
  }
}
