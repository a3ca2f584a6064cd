/** A holder of credentials of a trusted issuer and of an untrusted one, who answers other questions than the request's. */
import type { Json } from '../stage/in-process-stage.ts'
import {
  issue,
  newLinkSecret,
  type Prepared,
  PUBLISHED,
  type PublishedObjects,
  present,
  revoked,
  trusted,
  untrusted,
} from './bare-library.ts'

const once = <Made>(make: () => Made): (() => Made) => {
  let made: { of: Made } | undefined
  return () => {
    made ??= { of: make() }
    return made.of
  }
}

const UNTRUSTED_DID = untrusted.schema.issuerId

/** What the holder has, made at its first use. */
export const held = once(() => {
  const linkSecret = newLinkSecret()
  const otherLinkSecret = newLinkSecret()
  return {
    linkSecret,
    credential: issue(trusted, { linkSecret, index: 4 }),
    /** Revoked by the second list. */
    revokedCredential: issue(trusted, { linkSecret, index: 3 }),
    irrevocable: issue(trusted, { linkSecret }),
    untrusted: issue(untrusted, {
      linkSecret,
      values: { 'First Name': 'Eve', age: '99', degree: 'Doctor', zip: '99' },
    }),
    otherHolders: issue(trusted, {
      linkSecret: otherLinkSecret,
      values: { 'First Name': 'Bob', age: '50', degree: 'Doctor', zip: '8002' },
    }),
  }
})

/** In force from 100. */
export const FIRST = trusted.registry.list
/** In force from 150. */
export const secondList = once(() => revoked(trusted, [3], 150))

/** The untrusted issuer's copy of the trusted registry, with the list from before the revocation as the newest. */
export const COPY = `${untrusted.registry.registryId}-copy`
export const COPIED_LIST = { ...FIRST, revRegDefId: COPY, issuerId: UNTRUSTED_DID, timestamp: 150 }

/** What is published while the holder lies: by the trusted issuer, and by the untrusted one. */
export const publishedByAll = (): PublishedObjects => ({
  ...PUBLISHED,
  registries: {
    ...PUBLISHED.registries,
    [COPY]: { ...trusted.registry.definition, issuerId: UNTRUSTED_DID, credDefId: untrusted.definitionId },
  },
  lists: [FIRST, secondList(), untrusted.registry.list, COPIED_LIST],
})

export interface Asked {
  requested_attributes?: Json
  requested_predicates?: Json
  non_revoked?: Json
}

/** The request with other questions and the same nonce: the holder pretends to the library that these were asked. */
export const instead = (request: Json, asked: Asked): Json => ({
  name: 'p',
  version: '1.0',
  nonce: request.nonce,
  requested_attributes: {},
  requested_predicates: {},
  ...asked,
})

export const fromTrusted = [{ cred_def_id: trusted.definitionId }]
export const DEGREE = { requested_attributes: { r0: { name: 'degree', restrictions: fromTrusted } } }
export const OF_AGE = {
  requested_predicates: { p0: { name: 'age', p_type: '>=', p_value: 30, restrictions: fromTrusted } },
}
export const ofAge = (predicate: Json) => ({
  requested_predicates: { p0: { name: 'age', p_type: '>=', p_value: 30, ...predicate } },
})

export const showDegree = (request: Json, of: Json = held().credential): Json =>
  present(instead(request, { requested_attributes: { r0: { name: 'degree' } } }), held().linkSecret, [
    { credential: of, attributes: { r0: true } },
  ])

export const proveAge = (request: Json, predicate: Json): Json =>
  present(instead(request, ofAge(predicate)), held().linkSecret, [
    { credential: held().credential, predicates: ['p0'] },
  ])

/** Shows the degree of a credential, and that it is not in a list. */
export const showNotRevoked = (request: Json, of: Json, index: number, list: Json, issuer: Prepared = trusted): Json =>
  present(
    { ...instead(request, { requested_attributes: { r0: { name: 'degree' } } }), non_revoked: { to: list.timestamp } },
    held().linkSecret,
    [{ credential: of, attributes: { r0: true }, nonRevocation: { issuer, index, list } }],
  )

export const NOT_REVOKED = { ...DEGREE, non_revoked: { to: 200 } }
