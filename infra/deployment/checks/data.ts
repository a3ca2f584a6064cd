/** Checks that no update replaces the table or the key, and that an earlier stack's table and key can be used. */
import type { Account, Stack } from '../account.ts'
import type { ExistingKey, ExistingTable } from '../existing-data.ts'
import { type Finding, findingsOf } from '../finding.ts'
import { ifRead } from '../reading.ts'
import { KEY_OUTPUT, TABLE, TABLE_OUTPUT } from '../template.ts'

export const CHECK = 'table and key'

const { ok, fault } = findingsOf(CHECK)

/** The settings for the table and the key. */
export interface DataSettings {
  TABLE_NAME?: string | undefined
  EXISTING_TABLE?: string | undefined
  EXISTING_KEY?: string | undefined
}

/** `indexes`: those of infra/table.yml. */
export const checkData = (account: Account, settings: DataSettings, indexes: readonly string[]): Finding[] =>
  ifRead(CHECK, account.stack, (stack) => {
    const ofStack = stack === undefined ? [] : checkStackData(stack, settings)
    const usable = checkExisting(account, settings, indexes)
    const findings = [...ofStack, ...usable, ...checkLayout(account, settings)]
    return findings.length > 0 ? findings : ok(plan(stack, settings))
  })

const plan = (stack: Stack | undefined, { EXISTING_TABLE, EXISTING_KEY }: DataSettings): string => {
  if (EXISTING_TABLE !== undefined) return `${EXISTING_TABLE} and ${EXISTING_KEY} are used`
  return stack?.physicalIds[TABLE] === undefined ? 'both will be created' : 'the stack keeps its own'
}

/** For a table with another name CloudFormation would create a new, empty one, and keep the old one. */
const checkStackData = (stack: Stack, { TABLE_NAME, EXISTING_TABLE, EXISTING_KEY }: DataSettings): Finding[] => {
  const own = stack.physicalIds[TABLE]
  if (own === undefined) {
    const { [TABLE_OUTPUT]: table, [KEY_OUTPUT]: key } = stack.outputs
    if (table === undefined || (table === EXISTING_TABLE && key === EXISTING_KEY)) return []
    return fault(
      `the stack uses ${table} of an earlier one: set EXISTING_TABLE=${table} EXISTING_KEY=${key}, or it would start with another one`,
    )
  }
  if (EXISTING_TABLE !== undefined)
    return fault(
      `the stack has its own table, ${own}: leave EXISTING_TABLE and EXISTING_KEY out, or remove the stack first`,
    )
  if (stack.template === undefined)
    return fault(
      `the stack's template is not JSON, so it is unknown whether its table, ${own}, has a fixed name: see \`aws cloudformation get-template\``,
    )
  const named = stack.template.Resources[TABLE]?.Properties.TableName
  if (named === TABLE_NAME) return []
  return fault(
    named === undefined
      ? `the stack's table, ${own}, has no fixed name: leave TABLE_NAME out, or it would start with an empty one`
      : `the stack's table has the name ${named}: set TABLE_NAME=${named}, or it would start with an empty one`,
  )
}

const checkExisting = (
  account: Account,
  { EXISTING_TABLE, EXISTING_KEY }: DataSettings,
  indexes: readonly string[],
): Finding[] => {
  const { existingTable, existingKey } = account
  if (existingTable === undefined || existingKey === undefined) return []
  return [
    ...ifRead(CHECK, existingTable, (table) =>
      table === undefined
        ? fault(`EXISTING_TABLE=${EXISTING_TABLE}: there is no table of this name in ${account.region}`)
        : tableProblems(table, String(EXISTING_KEY), indexes).flatMap(fault),
    ),
    ...ifRead(CHECK, existingKey, (key) => keyProblems(key, String(EXISTING_KEY)).flatMap(fault)),
  ]
}

const tableProblems = (table: ExistingTable, key: string, indexes: readonly string[]): string[] => {
  const { name, status, streamArn, sealingKey } = table
  const problems: string[] = []
  if (status !== 'ACTIVE') problems.push(`${name} is ${status}: wait until it is ACTIVE`)
  if (streamArn === undefined)
    problems.push(
      `${name} has no stream of new and old images: \`aws dynamodb update-table --table-name ${name} --stream-specification StreamEnabled=true,StreamViewType=NEW_AND_OLD_IMAGES\``,
    )
  const missing = indexes.filter((index) => !table.indexes.includes(index))
  if (missing.length > 0)
    problems.push(
      `${name} lacks the index ${missing.join(', ')}, which infra/table.yml describes: add it with \`aws dynamodb update-table\``,
    )
  if (sealingKey !== undefined && sealingKey !== key)
    problems.push(`${name} was sealed with ${sealingKey}, by its tag: set EXISTING_KEY to that`)
  return problems
}

/** No version migrates what another one has written. */
const checkLayout = (account: Account, { EXISTING_TABLE }: DataSettings): Finding[] =>
  ifRead(CHECK, account.layout, (layout) => {
    if (layout?.mismatch === undefined) return []
    const remedy =
      EXISTING_TABLE === undefined
        ? 'deploy another stage, or remove this one and deploy it with ALLOW_NEW_TABLE=true'
        : 'leave EXISTING_TABLE and EXISTING_KEY out, and set ALLOW_NEW_TABLE=true'
    return fault(`the table ${layout.mismatch}; this version starts with an empty one: ${remedy}`)
  })

/** Problems of a key, by its ARN. */
export const keyProblems = (key: ExistingKey | undefined, arn: string): string[] => {
  if (key === undefined) return [`${arn}: there is no such key in this region`]
  if (key.state === 'Enabled') return []
  const commands = key.state === 'PendingDeletion' ? 'cancel-key-deletion, then enable-key' : 'enable-key'
  return [`${arn} is ${key.state}: \`aws kms ${commands} --key-id ${key.id}\``]
}
