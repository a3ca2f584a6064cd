/**
 * Serverless plugin: settings that can grow leave the functions' environment and are packed with their code. Runs
 * before bundle.ts.
 */
import * as v from 'valibot'
import { tokenIssuers } from '../../lib/auth/token-issuers.ts'
import { type PackedSetting, readSettings } from '../../lib/settings.ts'
import { type Finding, faultsMessage } from '../deployment/finding.ts'
import type { DeployingServerless } from '../deployment/serverless.ts'
import type { FunctionDefinition, PluginTools, Serverless } from '../service.ts'

export default class PackedSettings {
  readonly hooks: Record<string, () => Promise<void>>

  constructor(serverless: DeployingServerless, { force = false }: { force?: boolean }, { log }: PluginTools) {
    let times: Record<string, number> = {}
    const pack = async () => {
      const isUpdate = serverless.processedInput.commands.join(' ') === 'deploy' && !force
      const { issuers, findings } = await packSettings(serverless, isUpdate ? await deployedTimes(serverless) : {})
      times = issuers
      serverless.service.custom.issuerFindings = findings
      // doctor reports them with its other findings.
      if (serverless.processedInput.commands[0] === 'check') return
      for (const { check, status, message } of findings) if (status === 'warning') log.warning(`${check}: ${message}`)
      const faults = faultsMessage(findings)
      if (faults !== undefined) throw new serverless.classes.Error(faults)
    }
    this.hooks = {
      'before:package:createDeploymentArtifacts': pack,
      'before:deploy:function:packageFunction': pack,
      'after:aws:package:finalize:mergeCustomProviderResources': async () => {
        serverless.service.provider.compiledCloudFormationTemplate.Metadata = { [TIMES]: times }
      },
    }
  }
}

/** Metadata of the template: when the keys of token issuers were packed. */
const TIMES = 'IssuerKeysPackedAt'

const Deployed = v.object({ Metadata: v.object({ [TIMES]: v.record(v.string(), v.number()) }) })

/** Those of the deployed stack; none if it can't be read, or has none. */
const deployedTimes = async (serverless: DeployingServerless): Promise<Record<string, number>> => {
  const [{ deployedTemplate }, { CloudFormationClient }] = await Promise.all([
    import('../deployment/stack.ts'),
    import('@aws-sdk/client-cloudformation'),
  ])
  const aws = serverless.getProvider('aws')
  const client = new CloudFormationClient(await aws.getAwsSdkV3Config())
  const template = await deployedTemplate(client, aws.naming.getStackName()).catch(() => '')
  const parsed = v.safeParse(v.pipe(v.string(), v.parseJson(), Deployed), template)
  return parsed.success ? parsed.output.Metadata[TIMES] : {}
}

/** The defaults of the settings. */
const NONE = { TOKEN_ISSUERS: '[]', TRUSTED_CONTEXTS: '[]', INDY_PROXIES: '{}' } satisfies Record<PackedSetting, string>
export const NAMES = Object.keys(NONE) as PackedSetting[]

/**
 * Moves them from each function's environment to its packed settings. Returns the findings about the issuers, and when
 * their keys were packed: at `times`, if an earlier deployment packed the same.
 */
const packSettings = async (
  { service, classes }: Serverless,
  times: Record<string, number>,
): Promise<{ issuers: Record<string, number>; findings: Finding[] }> => {
  const functions = Object.values(service.functions)
  const textOf = (name: PackedSetting): string => {
    const value = functions.find(({ environment }) => environment?.[name] !== undefined)?.environment?.[name]
    return typeof value === 'string' ? value : NONE[name]
  }
  try {
    const settings = readSettings({
      TABLE_NAME: 'Table',
      PUBLIC_URL: 'https://example.org',
      TOKEN_ISSUERS: textOf('TOKEN_ISSUERS'),
      TRUSTED_CONTEXTS: textOf('TRUSTED_CONTEXTS'),
      INDY_PROXIES: textOf('INDY_PROXIES'),
    })
    // Loaded here: every serverless command loads the plugins.
    const { prepareIssuers, packingTimes, withPackingTimes } = await import('../deployment/prepare-issuers.ts')
    const { issuers: prepared, findings } = await prepareIssuers(tokenIssuers(settings), Date.now())
    const issuers = withPackingTimes(prepared, times)
    const { TRUSTED_CONTEXTS, INDY_PROXIES } = settings
    for (const definition of functions) move(definition, { TOKEN_ISSUERS: issuers, TRUSTED_CONTEXTS, INDY_PROXIES })
    return { issuers: packingTimes(issuers), findings }
  } catch (error) {
    throw new classes.Error(error instanceof Error ? error.message : String(error))
  }
}

const move = (definition: FunctionDefinition, values: Record<PackedSetting, object>): void => {
  const { environment = {} } = definition
  const present = NAMES.filter((name) => environment[name] !== undefined)
  if (present.length === 0) return
  // Functions may share the object.
  definition.environment = Object.fromEntries(
    Object.entries(environment).filter(([name]) => present.every((one) => one !== name)),
  )
  // A copy for each function, because Serverless writes a shared object as a reference into its state file.
  const packed = present
    .filter((name) => Object.keys(values[name]).length > 0)
    .map((name) => [name, structuredClone(values[name])])
  if (packed.length > 0) definition.packed = Object.fromEntries(packed)
}
