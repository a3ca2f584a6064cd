/**
 * Serverless plugin: `${setting:NAME}` in a YAML file is a variable of the environment, and `deploy` begins with a list
 * of all settings that are wrong.
 */
import type { Serverless } from '../service.ts'
import { withoutEmpty } from '../settings.ts'

export default class Settings {
  readonly configurationVariablesSources = {
    setting: {
      resolve: async ({ address }: { address: string }) => ({ value: withoutEmpty(process.env)[address] ?? null }),
    },
  }
  readonly hooks: Record<string, () => Promise<void>>

  constructor(serverless: Serverless) {
    this.hooks = { initialize: () => checkSettings(serverless) }
  }
}

/**
 * Needs no AWS, and runs before other plugins read the settings, because they would report only the first that is
 * wrong.
 */
const checkSettings = async ({ service, processedInput, classes }: Serverless): Promise<void> => {
  if (processedInput.commands.join(' ') !== 'deploy') return
  // Loaded here: every serverless command loads the plugins.
  const [{ checkPlan }, { anonCredsPlan }, { faultsMessage }] = await Promise.all([
    import('../deployment/checks.ts'),
    import('../deployment/checks/anoncreds.ts'),
    import('../deployment/finding.ts'),
  ])
  const { stage, region, architecture } = service.provider
  const functionNames = Object.values(service.functions).map(({ name }) => name)
  const anonCreds = anonCredsPlan(architecture)
  const faults = faultsMessage(checkPlan({ environment: process.env, stage, region, functionNames, anonCreds }))
  if (faults !== undefined) throw new classes.Error(faults)
}
