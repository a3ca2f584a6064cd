/** Presentations of a lying holder, and what a verifier must say of them. */
import type { Json } from '../stage/in-process-stage.ts'
import { altered, encoded, newNonce, present, trusted } from './bare-library.ts'
import {
  type Asked,
  COPIED_LIST,
  COPY,
  DEGREE,
  FIRST,
  fromTrusted,
  held,
  instead,
  NOT_REVOKED,
  OF_AGE,
  ofAge,
  proveAge,
  secondList,
  showDegree,
  showNotRevoked,
} from './holder.ts'

type Answer = (request: Json) => Json
type Alter = (presentation: Json) => void

const attack =
  (passesLibrary: boolean) =>
  (name: string, asked: Asked, says: string, honest: Answer, alter: Alter = () => {}) => ({
    ...{ name, asked, says, passesLibrary },
    answer: (request: Json): Json => altered(honest(request), alter),
  })
/** That the library alone refuses. */
const refused = attack(false)
/** That it verifies. */
const passed = attack(true)

const FORGED = 'the proof is not valid'
const MISCODED = 'the encoding of "r0" does not match its value'
const HIDDEN = 'the attribute "r0" is not revealed'
const UNPROVED = 'the predicate "p0" is not proved'
const SELF_ATTESTED = 'the attribute "r0" is self-attested, but must come from a credential'
const OUTDATED = 'the proof of non-revocation does not use the list that was valid at the end of the interval'
const unmet = (referent: string) => `the credential for "${referent}" does not satisfy the restrictions`

const r0 = (names: object, others: Json = {}) => ({ requested_attributes: { r0: names, ...others } })
const DEGREE_AND_ZIP = r0({ names: ['degree', 'zip'] })
const FROM_18 = { name: 'age', p_type: '>=', p_value: 18 }

/** The referents of these attributes, revealed or not. */
const show =
  (attributes: Record<string, boolean>): Answer =>
  (request) =>
    present(request, held().linkSecret, [{ credential: held().credential, attributes }])
const proveAdult: Answer = (request) => proveAge(request, { p_value: 18 })
const showUntrusted: Answer = (request) => showDegree(request, held().untrusted)

/** Values that no credential has, or that are not revealed, and credentials of different holders. */
const VALUES = [
  passed('an altered raw value', DEGREE, MISCODED, showDegree, ({ requested_proof }) => {
    requested_proof.revealed_attrs.r0.raw = 'Doctor'
  }),
  passed('an altered raw value in a group', DEGREE_AND_ZIP, MISCODED, show({ r0: true }), ({ requested_proof }) => {
    requested_proof.revealed_attr_groups.r0.values.degree.raw = 'Doctor'
  }),
  refused('an altered encoded value', DEGREE, MISCODED, showDegree, ({ requested_proof }) => {
    requested_proof.revealed_attrs.r0.encoded = encoded('Doctor')
  }),
  refused('an altered value, raw and encoded and in the proof', DEGREE, FORGED, showDegree, (presentation) => {
    const { requested_proof, proof } = presentation
    requested_proof.revealed_attrs.r0 = { sub_proof_index: 0, raw: 'Doctor', encoded: encoded('Doctor') }
    proof.proofs[0].primary_proof.eq_proof.revealed_attrs.degree = encoded('Doctor')
  }),
  refused(
    "another credential's values",
    DEGREE,
    'the values in requested_proof are not those that a credential reveals',
    (request) =>
      altered(showDegree(request), ({ requested_proof }) => {
        requested_proof.revealed_attrs.r0 = showUntrusted(request).requested_proof.revealed_attrs.r0
      }),
  ),
  refused('a presentation with a nonce of no request', DEGREE, FORGED, (request) =>
    showDegree({ ...request, nonce: newNonce() }),
  ),
  refused(
    'without an attribute',
    r0(DEGREE.requested_attributes.r0, { r1: { name: 'zip' } }),
    'the presentation must have exactly the referents of the request',
    showDegree,
  ),
  passed('an attribute that is not revealed', DEGREE, HIDDEN, show({ r0: false })),
  passed('a group that is not revealed', DEGREE_AND_ZIP, HIDDEN, show({ r0: false })),
  passed(
    "an attribute with an untrusted issuer's value, answered a second time by the trusted credential",
    DEGREE,
    'a requested attribute must not be assigned twice',
    (request) =>
      present(instead(request, r0({ name: 'degree' }, { r1: { name: 'degree' } })), held().linkSecret, [
        { credential: held().untrusted, attributes: { r0: true } },
        { credential: held().credential, attributes: { r1: false } },
      ]),
    ({ requested_proof }) => {
      requested_proof.unrevealed_attrs = { r0: { sub_proof_index: 1 } }
    },
  ),
  refused(
    'a group with an attribute less',
    DEGREE_AND_ZIP,
    'the group "r0" must have exactly the attributes that were requested',
    show({ r0: true }),
    ({ requested_proof }) => {
      delete requested_proof.revealed_attr_groups.r0.values.zip
    },
  ),
  refused(
    'credentials with different link secrets',
    r0(DEGREE.requested_attributes.r0, { r1: { name: 'zip', restrictions: fromTrusted } }),
    FORGED,
    (request) =>
      present(request, held().linkSecret, [
        { credential: held().credential, attributes: { r0: true } },
        { credential: held().otherHolders, attributes: { r1: true } },
      ]),
  ),
  passed(
    'a credential without a requested attribute, before the one that has it',
    DEGREE,
    'the referents must use exactly the sub-proofs of the presentation',
    (request) =>
      present(instead(request, r0({ name: 'degree' }, { r1: { name: 'zip' } })), held().linkSecret, [
        { credential: held().untrusted, attributes: { r1: false } },
        { credential: held().credential, attributes: { r0: true } },
      ]),
    ({ requested_proof }) => {
      requested_proof.unrevealed_attrs = {}
    },
  ),
]

/** Predicates that were not requested, or of another credential than claimed. */
const PREDICATES = [
  refused('a predicate that the value does not satisfy', OF_AGE, FORGED, proveAdult, ({ proof }) => {
    proof.proofs[0].primary_proof.ge_proofs[0].predicate.value = 30
  }),
  passed('a weaker predicate', OF_AGE, UNPROVED, proveAdult),
  passed('a predicate of another type', OF_AGE, UNPROVED, (request) => proveAge(request, { p_type: '<=' })),
  passed('a predicate of another attribute', OF_AGE, UNPROVED, (request) => proveAge(request, { name: 'zip' })),
  passed(
    'no predicate at all',
    OF_AGE,
    UNPROVED,
    (request) => show({ r0: false })(instead(request, r0({ name: 'zip' }))),
    ({ requested_proof }) => {
      requested_proof.unrevealed_attrs = {}
      requested_proof.predicates = { p0: { sub_proof_index: 0 } }
    },
  ),
  passed(
    "the predicate of an untrusted issuer's credential as that of the trusted one",
    { ...OF_AGE, ...r0({ name: 'zip' }) },
    UNPROVED,
    (request) => {
      const requested_predicates = { p0: FROM_18, p1: { ...FROM_18, p_value: 30 } }
      return present(instead(request, { requested_predicates, ...r0({ name: 'zip' }) }), held().linkSecret, [
        { credential: held().credential, predicates: ['p0'] },
        { credential: held().untrusted, predicates: ['p1'], attributes: { r0: true } },
      ])
    },
    ({ requested_proof }) => {
      requested_proof.predicates = { p0: { sub_proof_index: 0 } }
    },
  ),
  passed(
    'a predicate that no number satisfies',
    ofAge({ p_type: '<', p_value: -2_147_483_648 }),
    'no number satisfies the predicate "p0"',
    (request) => proveAge(request, { p_type: '<', p_value: -2_147_483_648 }),
  ),
  passed(
    'predicates that were not requested',
    DEGREE,
    'a credential proves predicates that were not requested',
    (request) =>
      present(instead(request, { ...DEGREE, requested_predicates: { p0: FROM_18 } }), held().linkSecret, [
        { credential: held().credential, attributes: { r0: true }, predicates: ['p0'] },
      ]),
    ({ requested_proof }) => {
      requested_proof.predicates = {}
    },
  ),
]

const adultWith = (restriction: object) => ofAge({ p_value: 18, restrictions: [restriction] })
const degreeWith = (...restrictions: object[]) => r0({ name: 'degree', restrictions })

/** Credentials that do not meet the restrictions, and a missing one where one was requested. */
const RESTRICTIONS = [
  refused('a foreign credential in the name of the trusted definition', DEGREE, FORGED, showUntrusted, (shown) => {
    shown.identifiers[0].cred_def_id = trusted.definitionId
    shown.identifiers[0].schema_id = trusted.schemaId
  }),
  refused("an untrusted issuer's credential", DEGREE, unmet('r0'), showUntrusted),
  passed(
    "an untrusted issuer's credential as one of another schema",
    degreeWith({ schema_id: trusted.schemaId }),
    'the credential definition is of another schema',
    showUntrusted,
    ({ identifiers }) => {
      identifiers[0].schema_id = trusted.schemaId
    },
  ),
  passed(
    'the value of a predicate whose attribute is restricted to another value',
    adultWith({ ...fromTrusted[0], 'attr::age::value': '40' }),
    unmet('p0'),
    proveAdult,
  ),
  refused(
    'a restriction to the value of an attribute that is not revealed',
    adultWith({ ...fromTrusted[0], 'attr::degree::value': 'Bachelor' }),
    unmet('p0'),
    proveAdult,
  ),
  passed(
    'a marked attribute that is not revealed',
    adultWith({ 'attr::degree::marker': '1' }),
    unmet('p0'),
    proveAdult,
  ),
  passed(
    'a marked attribute that the schema does not have',
    degreeWith({ 'attr::honours::marker': '1' }),
    unmet('r0'),
    showDegree,
  ),
  ...[[], [{}]].map((restrictions) =>
    passed(
      `a self-attested attribute where any credential will do: restrictions ${JSON.stringify(restrictions)}`,
      degreeWith(...restrictions),
      SELF_ATTESTED,
      (request) => present(request, held().linkSecret, [], { r0: 'Doctor' }),
    ),
  ),
  refused('a self-attested attribute where a restriction applies', DEGREE, SELF_ATTESTED, (request) =>
    present(instead(request, r0({ name: 'degree' })), held().linkSecret, [], { r0: 'Doctor' }),
  ),
]

/** In epoch seconds. */
const YEAR_3000 = 32_503_680_000
const showRevoked: Answer = (request) => showNotRevoked(request, held().revokedCredential, 3, FIRST)

/** Revoked credentials as if they were not, and proofs by lists that are not in force. */
const REVOCATIONS = [
  passed(
    'a credential that was revoked before the end of the interval, by the list from before',
    NOT_REVOKED,
    OUTDATED,
    showRevoked,
  ),
  refused(
    'a credential that was revoked before the end of the interval, as if by the new list',
    NOT_REVOKED,
    FORGED,
    showRevoked,
    ({ identifiers }) => {
      identifiers[0].timestamp = 150
    },
  ),
  passed('a stale status list', NOT_REVOKED, OUTDATED, (request) =>
    showNotRevoked(request, held().credential, 4, FIRST),
  ),
  refused(
    'a status list as if it was of a time to come',
    { ...DEGREE, non_revoked: { to: YEAR_3000 } },
    'a credential has a time of non-revocation that is in the future',
    (request) => showNotRevoked(request, held().credential, 4, secondList()),
    ({ identifiers }) => {
      identifiers[0].timestamp = YEAR_3000
    },
  ),
  refused(
    'a credential without the time of a status list',
    NOT_REVOKED,
    'a credential has no proof of non-revocation',
    (request) => showDegree(request, held().revokedCredential),
  ),
  passed(
    "a revoked credential by an untrusted issuer's registry",
    NOT_REVOKED,
    'the revocation registry belongs to another credential definition',
    showRevoked,
    ({ identifiers }) => {
      identifiers[0].rev_reg_id = COPY
      identifiers[0].timestamp = COPIED_LIST.timestamp
    },
  ),
]

export const ATTACKS = [...VALUES, ...PREDICATES, ...RESTRICTIONS, ...REVOCATIONS]
