/** Seals secrets in records before the unit of work: no version, index entry or stream image contains them. */
import * as v from 'valibot'
import { AgentError } from '../../errors.ts'
import { isObject } from '../../json.ts'
import { recordsOf } from '../../records/kinds.ts'
import { ensureDataKey, seal, unseal } from '../../store/data-keys.ts'
import { recordAddress } from '../../store/keys.ts'
import type { StoredRecord } from '../../store/stored-record.ts'
import { currentUnit } from '../../store/transaction.ts'

type Sealable = Pick<StoredRecord, 'tenant' | 'type' | 'id' | 'value'>

/** The output of `seal` in base64. It opens only at the record's address. */
const Sealed = v.strictObject({ sealed: v.string() })

/**
 * The record with its secret sealed, for the table. The unit of work creates the data key if there is none, and does
 * not commit if this fails. /
 */
export const withSecretSealed = <R extends Sealable>(record: R): Promise<R> =>
  withSecret(record, (secret, key, address) => ({
    sealed: Buffer.from(seal(Buffer.from(JSON.stringify(secret)), key, address)).toString('base64'),
  }))

/** The record with its secret unsealed, for Credo. If that fails, the unit of work does not commit. */
export const withSecretUnsealed = <R extends Sealable>(record: R): Promise<R> =>
  withSecret(record, (secret, key, address) => {
    if (!v.is(Sealed, secret)) throw new AgentError('internal', 'the secret of a record is not sealed')
    return JSON.parse(Buffer.from(unseal(Buffer.from(secret.sealed, 'base64'), key, address)).toString())
  })

type Transform = (secret: unknown, dataKey: Uint8Array, address: string) => unknown

const withSecret = <R extends Sealable>(record: R, change: Transform): Promise<R> =>
  currentUnit().runRead(async () => {
    const { tenant, type, id, value } = record
    const kind = recordsOf(type)
    // A new one of Credo may have a secret.
    if (kind === undefined) throw new AgentError('internal', `records of type ${type} may have a secret`)
    const [field, member] = kind.sealed
    const content = field === undefined ? undefined : value[field]
    const secret = member === undefined ? content : isObject(content) ? content[member] : undefined
    if (field === undefined || secret === undefined) return record
    // `ensureDataKey` also for unsealing, because the running unit may have created the key.
    const changed = change(secret, await ensureDataKey(currentUnit(), tenant), recordAddress(tenant, type, id).pk)
    const replaced = member === undefined ? changed : { ...(isObject(content) && content), [member]: changed }
    return { ...record, value: { ...value, [field]: replaced } }
  })
