/** Ids of objects on Indy ledgers, in requests and offers of the format `indy`. */
import * as v from 'valibot'
import { MAX_OBJECT_ID } from '../records/anoncreds-objects.ts'
import { text } from './fields.ts'

/** `<did>:3:CL:<number>:<tag>`: wallets accept no other ids in this format. */
export const UnqualifiedDefinitionId = v.pipe(
  text(MAX_OBJECT_ID),
  v.regex(
    /^[1-9A-HJ-NP-Za-km-z]{21,22}:3:CL:[1-9][0-9]*:.+$/,
    'must be an unqualified id of a credential definition on an Indy ledger',
  ),
)
