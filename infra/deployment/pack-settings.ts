/** Moves settings that may be long from the functions' environment into a file beside their code. */
import { CloudFormationClient } from '@aws-sdk/client-cloudformation'
import * as v from 'valibot'
import { tokenIssuers } from '../../lib/auth/token-issuers.ts'
import { type PackedSetting, PackedSettings, readSettings } from '../../lib/settings.ts'
import type { FunctionDefinition, Serverless } from '../service.ts'
import { type Finding, faultsMessage } from './finding.ts'
import { packingTimes, prepareIssuers, withPackingTimes } from './prepare-issuers.ts'
import { deployedTemplate } from './stack.ts'

const NAMES = Object.keys(PackedSettings.entries) as PackedSetting[]

/** Metadata of the template: when the keys of token issuers were packed. */
const TIMES = 'IssuerKeysPackedAt'

const Deployed = v.object({ Metadata: v.object({ [TIMES]: v.record(v.string(), v.number()) }) })

/**
 * Moves them from each function's environment to its packed settings. Keys of token issuers that the last deployment
 * has packed keep its time, unless this one is forced. Returns the template's metadata.
 */
export const packSettings = async (
  serverless: Serverless,
  isForced: boolean,
  log: { warning(line: string): void },
): Promise<Record<string, unknown>> => {
  const { service, classes, processedInput } = serverless
  const isUpdate = processedInput.commands.join(' ') === 'deploy' && !isForced
  const times = isUpdate ? await deployedTimes(serverless) : {}
  try {
    const { metadata, findings } = await moveSettings(Object.values(service.functions), times)
    service.custom.issuerFindings = findings
    // doctor reports them with its other findings.
    if (processedInput.commands[0] === 'check') return metadata
    for (const { check, status, message } of findings) if (status === 'warning') log.warning(`${check}: ${message}`)
    const faults = faultsMessage(findings)
    if (faults !== undefined) throw new Error(faults)
    return metadata
  } catch (error) {
    throw new classes.Error(error instanceof Error ? error.message : String(error))
  }
}

/** The times of the deployed stack; none if it cannot be read, or has none. */
const deployedTimes = async (serverless: Serverless): Promise<Record<string, number>> => {
  const aws = serverless.getProvider('aws')
  const client = new CloudFormationClient(await aws.getAwsSdkV3Config())
  const template = await deployedTemplate(client, aws.naming.getStackName()).catch(() => undefined)
  const parsed = v.safeParse(Deployed, template)
  return parsed.success ? parsed.output.Metadata[TIMES] : {}
}

/** `times`: of an earlier deployment. Also returns findings about the issuers. */
const moveSettings = async (
  functions: FunctionDefinition[],
  times: Record<string, number>,
): Promise<{ metadata: Record<string, unknown>; findings: Finding[] }> => {
  const given = NAMES.map((name) => [
    name,
    functions.map(({ environment }) => environment?.[name]).find((value) => value !== undefined),
  ])
  const settings = readSettings({
    TABLE_NAME: 'Table',
    PUBLIC_URL: 'https://example.org',
    ...Object.fromEntries(given),
  })
  const { issuers: prepared, findings } = await prepareIssuers(tokenIssuers(settings), Date.now())
  const issuers = withPackingTimes(prepared, times)
  const { TRUSTED_CONTEXTS, INDY_PROXIES } = settings
  for (const definition of functions) move(definition, { TOKEN_ISSUERS: issuers, TRUSTED_CONTEXTS, INDY_PROXIES })
  return { metadata: { [TIMES]: packingTimes(issuers) }, findings }
}

const move = (definition: FunctionDefinition, values: Record<PackedSetting, object>): void => {
  // Functions may share the object.
  const environment = { ...definition.environment }
  const packed: Record<string, object> = {}
  for (const name of NAMES) {
    // A copy for each function, because Serverless writes a shared object as a reference into its state file.
    if (environment[name] !== undefined && Object.keys(values[name]).length > 0)
      packed[name] = structuredClone(values[name])
    delete environment[name]
  }
  definition.environment = environment
  if (Object.keys(packed).length > 0) definition.packed = packed
}
