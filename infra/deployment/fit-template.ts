/**
 * Adapts the template to the account and the settings: the table's name, limits of concurrency, the rate of envelopes,
 * an earlier stack's table and key.
 */
import type { Template } from '../service.ts'
import { withoutEmpty } from '../settings.ts'
import type { Account } from './account.ts'
import { capSettings } from './checks.ts'
import { applyCaps, applyDidcommRate, capsOf, NEW_ACCOUNT_CONCURRENCY, USUAL_CONCURRENCY } from './concurrency.ts'
import { useExisting } from './existing-data.ts'
import { TABLE } from './template.ts'

/** Changes the template. `account` is undefined for packaging alone, which does not call AWS. */
export const fitTemplate = (
  template: Template,
  environment: NodeJS.ProcessEnv,
  account: Pick<Account, 'lambda' | 'existingTable'> | undefined,
): void => {
  const concurrency = concurrencyOf(account)
  const settings = capSettings(environment)
  applyCaps(template, capsOf(concurrency, settings))
  applyDidcommRate(template, concurrency, settings)

  const { TABLE_NAME, EXISTING_TABLE, EXISTING_KEY } = withoutEmpty(environment)
  const table = template.Resources[TABLE]
  if (TABLE_NAME !== undefined && table !== undefined) table.Properties.TableName = TABLE_NAME

  const { existingTable } = account ?? {}
  if (existingTable === undefined || EXISTING_KEY === undefined) return
  // A deployment was already checked, but packaging alone has no checks.
  if ('failure' in existingTable) throw new Error(`EXISTING_TABLE: ${existingTable.failure.message}`)
  if (existingTable.value === undefined) throw new Error(`EXISTING_TABLE=${EXISTING_TABLE}: there is no such table`)
  useExisting(template, existingTable.value, EXISTING_KEY)
}

/** If the account's limit cannot be read, that of a new account is assumed. */
const concurrencyOf = (account: Pick<Account, 'lambda'> | undefined): number => {
  if (account === undefined) return USUAL_CONCURRENCY
  return 'value' in account.lambda ? account.lambda.value.unreserved : NEW_ACCOUNT_CONCURRENCY
}
