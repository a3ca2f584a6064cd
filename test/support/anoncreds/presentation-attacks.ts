/** What a holder who lies presents, and what a verifier is to say of it. */
import type { Json } from '../stage/in-process-stage.ts'
import {
  altered,
  encoded,
  issue,
  newLinkSecret,
  newNonce,
  type Prepared,
  PUBLISHED,
  type PublishedObjects,
  present,
  revoked,
  stranger,
  trusted,
} from './bare-library.ts'

const once = <Made>(make: () => Made): (() => Made) => {
  let made: { of: Made } | undefined
  return () => {
    made ??= { of: make() }
    return made.of
  }
}

const STRANGER = stranger.schema.issuerId

/** What the holder has, made at its first use. */
const held = once(() => {
  const linkSecret = newLinkSecret()
  const otherLinkSecret = newLinkSecret()
  return {
    linkSecret,
    credential: issue(trusted, { linkSecret, index: 4 }),
    /** Revoked by the second list. */
    revokedCredential: issue(trusted, { linkSecret, index: 3 }),
    irrevocable: issue(trusted, { linkSecret }),
    strangers: issue(stranger, {
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
const FIRST = trusted.registry.list
/** In force from 150. */
const secondList = once(() => revoked(trusted, [3], 150))

/** The stranger's copy of the trusted registry, with the list from before the revocation as the newest. */
const COPY = `${stranger.registry.registryId}-copy`
const COPIED_LIST = { ...FIRST, revRegDefId: COPY, issuerId: STRANGER, timestamp: 150 }

/** What is published while the holder lies: by the issuer, and by the stranger. */
export const publishedByAll = (): PublishedObjects => ({
  ...PUBLISHED,
  registries: {
    ...PUBLISHED.registries,
    [COPY]: { ...trusted.registry.definition, issuerId: STRANGER, credDefId: stranger.definitionId },
  },
  lists: [FIRST, secondList(), stranger.registry.list, COPIED_LIST],
})

export interface Asked {
  requested_attributes?: Json
  requested_predicates?: Json
  non_revoked?: Json
}

export interface Attack {
  name: string
  /** What the verifier asks for. */
  asked: Asked
  answer(request: Json): Json
  /** What the verifier says of it. */
  says: string
  /** Whether the library alone calls it verified. */
  passesLibrary: boolean
}

/** The request with other questions and the same nonce: what the holder tells the library that was asked. */
const instead = (request: Json, asked: Asked): Json => ({
  name: 'p',
  version: '1.0',
  nonce: request.nonce,
  requested_attributes: {},
  requested_predicates: {},
  ...asked,
})

const fromTrusted = [{ cred_def_id: trusted.definitionId }]
const DEGREE = { requested_attributes: { r0: { name: 'degree', restrictions: fromTrusted } } }
const OF_AGE = {
  requested_predicates: { p0: { name: 'age', p_type: '>=', p_value: 30, restrictions: fromTrusted } },
}
const ofAge = (predicate: Json) => ({
  requested_predicates: { p0: { name: 'age', p_type: '>=', p_value: 30, ...predicate } },
})

const showDegree = (request: Json, of: Json = held().credential): Json =>
  present(instead(request, { requested_attributes: { r0: { name: 'degree' } } }), held().linkSecret, [
    { credential: of, attributes: { r0: true } },
  ])

const proveAge = (request: Json, predicate: Json): Json =>
  present(instead(request, ofAge(predicate)), held().linkSecret, [
    { credential: held().credential, predicates: ['p0'] },
  ])

/** Shows the degree of a credential, and that it is not in a list. */
const showNotRevoked = (request: Json, of: Json, index: number, list: Json, issuer: Prepared = trusted): Json =>
  present(
    { ...instead(request, { requested_attributes: { r0: { name: 'degree' } } }), non_revoked: { to: list.timestamp } },
    held().linkSecret,
    [{ credential: of, attributes: { r0: true }, nonRevocation: { issuer, index, list } }],
  )

const NOT_REVOKED = { ...DEGREE, non_revoked: { to: 200 } }

/** What honest holders present; verified. */
export const HONEST: { name: string; asked: Asked; answer(request: Json): Json }[] = [
  { name: 'an attribute', asked: DEGREE, answer: (request) => showDegree(request) },
  {
    name: 'attributes, a group, predicates and a self-attested attribute, of two credentials',
    asked: {
      requested_attributes: {
        r0: { name: 'degree', restrictions: [{ issuer_id: trusted.definition.issuerId, schema_name: 'degree' }] },
        r1: {
          names: ['First Name', 'zip'],
          restrictions: [{ schema_id: stranger.schemaId }, { schema_version: '1.0' }],
        },
        r2: { name: 'nickname' },
      },
      requested_predicates: {
        p0: { name: 'age', p_type: '>', p_value: 23, restrictions: fromTrusted },
        p1: { name: 'Age', p_type: '<=', p_value: 99, restrictions: [{ schema_issuer_id: stranger.schema.issuerId }] },
        p2: { name: 'age', p_type: '<', p_value: 25, restrictions: [{}] },
      },
    },
    answer: (request) =>
      present(
        request,
        held().linkSecret,
        [
          { credential: held().credential, attributes: { r0: true }, predicates: ['p0', 'p2'] },
          { credential: held().strangers, attributes: { r1: true }, predicates: ['p1'] },
        ],
        { r2: 'ada' },
      ),
  },
  {
    name: 'an attribute whose value is restricted by another one of the same credential, and markers',
    asked: {
      requested_attributes: {
        r0: { name: 'degree', restrictions: [{ 'attr::zip::value': '8001', 'attr::degree::marker': '1' }] },
        r1: { name: 'zip', restrictions: [] },
      },
      requested_predicates: {
        p0: { ...ofAge({ p_value: 18 }).requested_predicates.p0, restrictions: [{ 'attr::age::marker': '1' }] },
      },
    },
    answer: (request) =>
      present(
        instead(request, {
          requested_attributes: { r0: { name: 'degree' }, r1: { name: 'zip' } },
          requested_predicates: ofAge({ p_value: 18 }).requested_predicates,
        }),
        held().linkSecret,
        [{ credential: held().credential, attributes: { r0: true, r1: true }, predicates: ['p0'] }],
      ),
  },
  {
    name: 'a credential that is not revoked, by the list in force',
    asked: NOT_REVOKED,
    answer: (request) => showNotRevoked(request, held().credential, 4, secondList()),
  },
  {
    name: 'a credential that was revoked after the end of the interval',
    asked: { ...DEGREE, non_revoked: { to: 149 } },
    answer: (request) => showNotRevoked(request, held().revokedCredential, 3, FIRST),
  },
  {
    name: 'a credential of a revocable definition, where its revocation is not asked for',
    asked: { requested_attributes: { r0: { name: 'degree' } } },
    answer: (request) => showDegree(request, held().irrevocable),
  },
]

export const ATTACKS: Attack[] = [
  {
    name: 'an altered raw value',
    asked: DEGREE,
    answer: (request) =>
      altered(showDegree(request), ({ requested_proof }) => {
        requested_proof.revealed_attrs.r0.raw = 'Doctor'
      }),
    says: 'the value of "r0" is not the one that is encoded',
    passesLibrary: true,
  },
  {
    name: 'an altered raw value in a group',
    asked: { requested_attributes: { r0: { names: ['degree', 'zip'], restrictions: fromTrusted } } },
    answer: (request) =>
      altered(
        present(request, held().linkSecret, [{ credential: held().credential, attributes: { r0: true } }]),
        ({ requested_proof }) => {
          requested_proof.revealed_attr_groups.r0.values.degree.raw = 'Doctor'
        },
      ),
    says: 'the value of "r0" is not the one that is encoded',
    passesLibrary: true,
  },
  {
    name: 'an altered encoded value',
    asked: DEGREE,
    answer: (request) =>
      altered(showDegree(request), ({ requested_proof }) => {
        requested_proof.revealed_attrs.r0.encoded = encoded('Doctor')
      }),
    says: 'the value of "r0" is not the one that is encoded',
    passesLibrary: false,
  },
  {
    name: 'an altered value, raw and encoded and in the proof',
    asked: DEGREE,
    answer: (request) =>
      altered(showDegree(request), ({ requested_proof, proof }) => {
        requested_proof.revealed_attrs.r0 = { sub_proof_index: 0, raw: 'Doctor', encoded: encoded('Doctor') }
        proof.proofs[0].primary_proof.eq_proof.revealed_attrs.degree = encoded('Doctor')
      }),
    says: 'the proof is not valid',
    passesLibrary: false,
  },
  {
    name: "another credential's values",
    asked: DEGREE,
    answer: (request) =>
      altered(showDegree(request), ({ requested_proof }) => {
        requested_proof.revealed_attrs.r0 = showDegree(request, held().strangers).requested_proof.revealed_attrs.r0
      }),
    says: 'the values that are shown are not those that a credential reveals',
    passesLibrary: false,
  },
  {
    name: "a stranger's credential in the name of the trusted definition",
    asked: DEGREE,
    answer: (request) =>
      altered(showDegree(request, held().strangers), ({ identifiers }) => {
        identifiers[0].cred_def_id = trusted.definitionId
        identifiers[0].schema_id = trusted.schemaId
      }),
    says: 'the proof is not valid',
    passesLibrary: false,
  },
  {
    name: "a stranger's credential",
    asked: DEGREE,
    answer: (request) => showDegree(request, held().strangers),
    says: 'the credential for "r0" does not meet the restrictions',
    passesLibrary: false,
  },
  {
    name: "a stranger's credential as one of a schema that it is not of",
    asked: { requested_attributes: { r0: { name: 'degree', restrictions: [{ schema_id: trusted.schemaId }] } } },
    answer: (request) =>
      altered(showDegree(request, held().strangers), ({ identifiers }) => {
        identifiers[0].schema_id = trusted.schemaId
      }),
    says: 'the credential definition is of another schema',
    passesLibrary: true,
  },
  {
    name: 'a presentation with a nonce that nobody asked with',
    asked: DEGREE,
    answer: (request) => showDegree({ ...request, nonce: newNonce() }),
    says: 'the proof is not valid',
    passesLibrary: false,
  },
  {
    name: 'a predicate that the value does not satisfy',
    asked: OF_AGE,
    answer: (request) =>
      altered(proveAge(request, { p_value: 18 }), ({ proof }) => {
        proof.proofs[0].primary_proof.ge_proofs[0].predicate.value = 30
      }),
    says: 'the proof is not valid',
    passesLibrary: false,
  },
  {
    name: 'a weaker predicate',
    asked: OF_AGE,
    answer: (request) => proveAge(request, { p_value: 18 }),
    says: 'the predicate "p0" is not proved',
    passesLibrary: true,
  },
  {
    name: 'a predicate of another type',
    asked: OF_AGE,
    answer: (request) => proveAge(request, { p_type: '<=' }),
    says: 'the predicate "p0" is not proved',
    passesLibrary: true,
  },
  {
    name: 'a predicate of another attribute',
    asked: OF_AGE,
    answer: (request) => proveAge(request, { name: 'zip' }),
    says: 'the predicate "p0" is not proved',
    passesLibrary: true,
  },
  {
    name: 'no predicate at all',
    asked: OF_AGE,
    answer: (request) =>
      altered(
        present(instead(request, { requested_attributes: { r0: { name: 'zip' } } }), held().linkSecret, [
          { credential: held().credential, attributes: { r0: false } },
        ]),
        ({ requested_proof }) => {
          requested_proof.unrevealed_attrs = {}
          requested_proof.predicates = { p0: { sub_proof_index: 0 } }
        },
      ),
    says: 'the predicate "p0" is not proved',
    passesLibrary: true,
  },
  {
    name: "the predicate of a stranger's credential as that of the trusted one",
    asked: { ...OF_AGE, requested_attributes: { r0: { name: 'zip' } } },
    answer: (request) =>
      altered(
        present(
          instead(request, {
            requested_predicates: {
              p0: { name: 'age', p_type: '>=', p_value: 18 },
              p1: { name: 'age', p_type: '>=', p_value: 30 },
            },
            requested_attributes: { r0: { name: 'zip' } },
          }),
          held().linkSecret,
          [
            { credential: held().credential, predicates: ['p0'] },
            { credential: held().strangers, predicates: ['p1'], attributes: { r0: true } },
          ],
        ),
        ({ requested_proof }) => {
          requested_proof.predicates = { p0: { sub_proof_index: 0 } }
        },
      ),
    says: 'the predicate "p0" is not proved',
    passesLibrary: true,
  },
  {
    name: 'a predicate that no number satisfies',
    asked: ofAge({ p_type: '<', p_value: -2_147_483_648 }),
    answer: (request) => proveAge(request, { p_type: '<', p_value: -2_147_483_648 }),
    says: 'no number satisfies the predicate "p0"',
    passesLibrary: true,
  },
  {
    name: 'predicates that were not asked for',
    asked: DEGREE,
    answer: (request) =>
      altered(
        present(instead(request, { ...DEGREE, ...ofAge({ p_value: 18 }) }), held().linkSecret, [
          { credential: held().credential, attributes: { r0: true }, predicates: ['p0'] },
        ]),
        ({ requested_proof }) => {
          requested_proof.predicates = {}
        },
      ),
    says: 'a credential proves predicates that were not asked for',
    passesLibrary: true,
  },
  {
    name: 'without an attribute',
    asked: { requested_attributes: { ...DEGREE.requested_attributes, r1: { name: 'zip' } } },
    answer: (request) => showDegree(request),
    says: 'the presentation does not answer exactly the referents of the request',
    passesLibrary: false,
  },
  {
    name: 'an attribute that is not revealed',
    asked: DEGREE,
    answer: (request) =>
      present(request, held().linkSecret, [{ credential: held().credential, attributes: { r0: false } }]),
    says: 'the attribute "r0" is not revealed',
    passesLibrary: true,
  },
  {
    name: 'a group that is not revealed',
    asked: { requested_attributes: { r0: { names: ['degree', 'zip'] } } },
    answer: (request) =>
      present(request, held().linkSecret, [{ credential: held().credential, attributes: { r0: false } }]),
    says: 'the attribute "r0" is not revealed',
    passesLibrary: true,
  },
  {
    name: "an attribute with a stranger's value, answered a second time by the trusted credential",
    asked: DEGREE,
    answer: (request) =>
      altered(
        present(
          instead(request, { requested_attributes: { r0: { name: 'degree' }, r1: { name: 'degree' } } }),
          held().linkSecret,
          [
            { credential: held().strangers, attributes: { r0: true } },
            { credential: held().credential, attributes: { r1: false } },
          ],
        ),
        ({ requested_proof }) => {
          requested_proof.unrevealed_attrs = { r0: { sub_proof_index: 1 } }
        },
      ),
    says: 'a requested attribute is answered twice',
    passesLibrary: true,
  },
  {
    name: 'a group with an attribute less',
    asked: { requested_attributes: { r0: { names: ['degree', 'zip'] } } },
    answer: (request) =>
      altered(
        present(request, held().linkSecret, [{ credential: held().credential, attributes: { r0: true } }]),
        ({ requested_proof }) => {
          delete requested_proof.revealed_attr_groups.r0.values.zip
        },
      ),
    says: 'the group "r0" does not hold exactly the attributes that were asked for',
    passesLibrary: false,
  },
  {
    name: 'the value of a predicate whose attribute is restricted to another value',
    asked: ofAge({ p_value: 18, restrictions: [{ ...fromTrusted[0], 'attr::age::value': '40' }] }),
    answer: (request) => proveAge(request, { p_value: 18 }),
    says: 'the credential for "p0" does not meet the restrictions',
    passesLibrary: true,
  },
  {
    name: 'a marked attribute that is not revealed',
    asked: ofAge({ p_value: 18, restrictions: [{ 'attr::degree::marker': '1' }] }),
    answer: (request) => proveAge(request, { p_value: 18 }),
    says: 'the credential for "p0" does not meet the restrictions',
    passesLibrary: true,
  },
  {
    name: 'a marked attribute that the schema does not have',
    asked: { requested_attributes: { r0: { name: 'degree', restrictions: [{ 'attr::honours::marker': '1' }] } } },
    answer: (request) => showDegree(request),
    says: 'the credential for "r0" does not meet the restrictions',
    passesLibrary: true,
  },
  ...[[], [{}]].map((restrictions) => ({
    name: `a self-attested attribute where any credential will do: restrictions ${JSON.stringify(restrictions)}`,
    asked: { requested_attributes: { r0: { name: 'degree', restrictions } } },
    answer: (request: Json) => present(request, held().linkSecret, [], { r0: 'Doctor' }),
    says: 'the attribute "r0" is self-attested, and a credential was asked for',
    passesLibrary: true,
  })),
  {
    name: 'a self-attested attribute where a restriction applies',
    asked: DEGREE,
    answer: (request) =>
      present(instead(request, { requested_attributes: { r0: { name: 'degree' } } }), held().linkSecret, [], {
        r0: 'Doctor',
      }),
    says: 'the attribute "r0" is self-attested, and a credential was asked for',
    passesLibrary: false,
  },
  {
    name: 'a credential that was revoked before the end of the interval, by the list from before',
    asked: NOT_REVOKED,
    answer: (request) => showNotRevoked(request, held().revokedCredential, 3, FIRST),
    says: 'the proof of non-revocation is not by the list in force at the end of the interval',
    passesLibrary: true,
  },
  {
    name: 'a credential that was revoked before the end of the interval, as if by the new list',
    asked: NOT_REVOKED,
    answer: (request) =>
      altered(showNotRevoked(request, held().revokedCredential, 3, FIRST), ({ identifiers }) => {
        identifiers[0].timestamp = 150
      }),
    says: 'the proof is not valid',
    passesLibrary: false,
  },
  {
    name: 'a stale status list',
    asked: NOT_REVOKED,
    answer: (request) => showNotRevoked(request, held().credential, 4, FIRST),
    says: 'the proof of non-revocation is not by the list in force at the end of the interval',
    passesLibrary: true,
  },
  {
    name: 'a credential without the time of a status list',
    asked: NOT_REVOKED,
    answer: (request) => showDegree(request, held().revokedCredential),
    says: 'a credential is not proved to be not revoked',
    passesLibrary: false,
  },
  {
    name: "a revoked credential by a stranger's registry",
    asked: NOT_REVOKED,
    answer: (request) =>
      altered(showNotRevoked(request, held().revokedCredential, 3, FIRST), ({ identifiers }) => {
        identifiers[0].rev_reg_id = COPY
        identifiers[0].timestamp = COPIED_LIST.timestamp
      }),
    says: 'the revocation registry is not one of the credential definition',
    passesLibrary: true,
  },
  {
    name: 'credentials with different link secrets',
    asked: { requested_attributes: { ...DEGREE.requested_attributes, r1: { name: 'zip', restrictions: fromTrusted } } },
    answer: (request) =>
      present(request, held().linkSecret, [
        { credential: held().credential, attributes: { r0: true } },
        { credential: held().otherHolders, attributes: { r1: true } },
      ]),
    says: 'the proof is not valid',
    passesLibrary: false,
  },
  {
    name: 'a credential that answers nothing, before the one that does',
    asked: DEGREE,
    answer: (request) =>
      altered(
        present(
          instead(request, { requested_attributes: { r0: { name: 'degree' }, r1: { name: 'zip' } } }),
          held().linkSecret,
          [
            { credential: held().strangers, attributes: { r1: false } },
            { credential: held().credential, attributes: { r0: true } },
          ],
        ),
        ({ requested_proof }) => {
          requested_proof.unrevealed_attrs = {}
        },
      ),
    says: 'the referents do not use exactly the sub-proofs of the presentation',
    passesLibrary: true,
  },
]
