/** The formats of AnonCreds in offers and proposals, and the ids of credential definitions in them. */
import * as v from 'valibot'
import { MAX_OBJECT_ID } from '../records/anoncreds-objects.ts'
import { text } from './fields.ts'

/** `<did>:3:CL:<number>:<tag>`: wallets accept no other ids in this format. */
const UnqualifiedDefinitionId = v.pipe(
  text(MAX_OBJECT_ID),
  v.regex(
    /^[1-9A-HJ-NP-Za-km-z]{21,22}:3:CL:[1-9][0-9]*:.+$/,
    'must be an unqualified id of a credential definition on an Indy ledger',
  ),
)

/** The formats of AnonCreds, which differ in the ids of credential definitions. */
export const anonCredsFormats = <Format extends v.GenericSchema>(
  formatWith: (definitionId: v.GenericSchema<unknown, string>) => Format,
) => ({
  indy: v.optional(formatWith(UnqualifiedDefinitionId)),
  anoncreds: v.optional(formatWith(text(MAX_OBJECT_ID))),
})
