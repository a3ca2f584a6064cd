/** Reads the versions and aliases of a deployed stack, and deletes old versions. */
import { CloudFormationClient } from '@aws-sdk/client-cloudformation'
import {
  DeleteFunctionCommand,
  GetAliasCommand,
  LambdaClient,
  paginateListVersionsByFunction,
} from '@aws-sdk/client-lambda'
import type { ClientConfig } from '../deployment/serverless.ts'
import { deployedTemplate, physicalIds } from '../deployment/stack.ts'
import { ALIAS } from './aliases.ts'

export interface DeployedVersions {
  /** Logical ids of the stack's resources. */
  ids: Set<string>
  /** Versions by the logical id of the alias that points to them. */
  versions: Map<string, string>
  /** Its template as text. */
  template: string
}

/** `functionNames`: by the logical ids of their aliases. */
export const readVersions = async (
  config: ClientConfig,
  stackName: string,
  functionNames: ReadonlyMap<string, string>,
): Promise<DeployedVersions> => {
  const cloudFormation = new CloudFormationClient(config)
  const ids = new Set(Object.keys(await physicalIds(cloudFormation, stackName)))
  const lambda = new LambdaClient(config)
  const versions = new Map<string, string>()
  for (const [aliasId, FunctionName] of functionNames) {
    if (!ids.has(aliasId)) continue
    const { FunctionVersion } = await lambda.send(new GetAliasCommand({ FunctionName, Name: ALIAS }))
    if (FunctionVersion !== undefined) versions.set(aliasId, FunctionVersion)
  }
  return { ids, versions, template: await deployedTemplate(cloudFormation, stackName) }
}

/** The newest, and the one before, to which an operator may point the alias back. */
const VERSIONS_KEPT = 2

/** Deletes older versions, which CloudFormation keeps: Lambda's limit is 75 GB of code in a region. */
export const deleteOldVersions = async (config: ClientConfig, functionNames: Iterable<string>): Promise<void> => {
  const lambda = new LambdaClient(config)
  for (const FunctionName of functionNames) {
    const numbers: number[] = []
    for await (const { Versions = [] } of paginateListVersionsByFunction({ client: lambda }, { FunctionName }))
      numbers.push(...Versions.map(({ Version }) => Number(Version)).filter(Number.isInteger))
    const old = numbers.toSorted((a, b) => b - a).slice(VERSIONS_KEPT)
    if (old.length === 0) continue
    // An operator may have pointed it to any of them.
    const { FunctionVersion } = await lambda.send(new GetAliasCommand({ FunctionName, Name: ALIAS }))
    for (const version of old.map(String).filter((one) => one !== FunctionVersion))
      await lambda.send(new DeleteFunctionCommand({ FunctionName, Qualifier: version }))
  }
}
