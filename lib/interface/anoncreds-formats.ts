/** The formats of AnonCreds in offers and proposals, and the ids of credential definitions in them. */
import * as v from 'valibot'
import { MAX_OBJECT_ID } from '../records/anoncreds-objects.ts'
import { text } from './fields.ts'

const DID = '[1-9A-HJ-NP-Za-km-z]{21,22}'

const unqualified = (form: string, name: string) =>
  v.pipe(text(MAX_OBJECT_ID), v.regex(new RegExp(`^${form}$`), `must be an unqualified ${name} on an Indy ledger`))

/** Wallets accept no other ids in `indy`. */
export const UNQUALIFIED = {
  did: unqualified(`(?:did:sov:)?${DID}`, 'DID'),
  schemaId: unqualified(`${DID}:2:.+:[0-9.]+`, 'id of a schema'),
  definitionId: unqualified(`${DID}:3:CL:[1-9][0-9]*:.+`, 'id of a credential definition'),
}

/** The formats of AnonCreds, which differ in the ids of credential definitions. */
export const anonCredsFormats = <Format extends v.GenericSchema>(
  formatWith: (definitionId: v.GenericSchema<unknown, string>) => Format,
) => ({
  indy: v.optional(formatWith(UNQUALIFIED.definitionId)),
  anoncreds: v.optional(formatWith(text(MAX_OBJECT_ID))),
})
