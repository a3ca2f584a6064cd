/** Formats suit a version of issue-credential or present-proof: 1.0 has `indy` only, 2.0 one or more formats. */
import * as v from 'valibot'
import { isObject } from '../json.ts'
import { issueOf } from './violations.ts'

const SUITABLE = {
  credentialFormats: 'must be exactly indy with v1, and one or more of indy, anoncreds, jsonld with v2',
  proofFormats: 'must be exactly indy with v1, and one or more of indy, anoncreds, presentationExchange with v2',
}

const areSuitable = (protocolVersion: unknown, formats: object): boolean => {
  const keys = Object.keys(formats)
  return protocolVersion === 'v1' ? keys.length === 1 && keys[0] === 'indy' : keys.length > 0
}

/** The same schema, whose formats must suit the version. This is checked unless one of the two is invalid. */
export const withSuitable = <Output>(
  field: keyof typeof SUITABLE,
  schema: v.GenericSchema<unknown, Output>,
): v.GenericSchema<unknown, Output> =>
  v.pipe(
    schema,
    v.rawCheck(({ dataset: { value, issues = [] }, addIssue }) => {
      const isInvalid = issues.some(
        ({ path: [{ key }] = [{ key: field }] }) => key === field || key === 'protocolVersion',
      )
      if (isInvalid || !isObject(value) || areSuitable(value.protocolVersion, Object(value[field]))) return
      addIssue(issueOf(value, { path: [field], message: SUITABLE[field] }))
    }),
  )
