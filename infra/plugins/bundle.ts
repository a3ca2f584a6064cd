/** Serverless plugin: creates the zip of each function with esbuild. */
import type { Serverless } from '../service.ts'

export default class Bundles {
  readonly hooks: Record<string, () => Promise<void>>

  constructor(serverless: Serverless) {
    const zip = async () => {
      // infra/plugins/deployment.ts packages only for the template, with empty zips.
      if (serverless.processedInput.commands[0] === 'check') return
      // Loaded here: every serverless command loads the plugins, and only packaging needs esbuild.
      await (await import('../bundle/zip-functions.ts')).zipFunctions(serverless)
    }
    this.hooks = {
      'before:package:createDeploymentArtifacts': zip,
      'before:deploy:function:packageFunction': zip,
    }
  }
}
