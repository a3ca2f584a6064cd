/**
 * Schemas of received offers, requests and credentials (Aries RFC 0592 and 0771), with the range of each number, which
 * the library does not check before it computes. Unknown members are dropped.
 * https://anoncreds.github.io/anoncreds-spec/#anoncreds-credential-issuance-data-flow
 */
import * as v from 'valibot'
import { Id, LINK_SECRET, MAX_ATTRIBUTES, MAX_REGISTRY } from '../../../records/anoncreds-objects.ts'
import { between, Nonce, ofBits } from './values/index.ts'

const Name = v.pipe(v.string(), v.maxLength(256))

/** A SHA-256. */
const Hash = ofBits(256)

/** A number modulo the issuer's `n`: the library's have up to 2,050 bits. */
const Residue = ofBits(2056)

/** A hash times a number modulo `n`, blinded by another one. */
const BlindedResidue = ofBits(2314)

/**
 * An element of the field, and points of the curve and of its twist, in hexadecimal: each number follows its excess.
 * The library writes numbers of up to 280 bits, because it does not reduce them first.
 */
const Element = v.pipe(v.string(), v.regex(/^[0-9A-Fa-f]{1,70}$/, 'must be a number in hexadecimal'))
const words = (count: number) => new RegExp(`^[0-9A-Fa-f]{1,70}(?: [0-9A-Fa-f]{1,70}){${count - 1}}$`)
const Point = v.pipe(v.string(), v.regex(words(6), 'must be a point'))
const TwistedPoint = v.pipe(v.string(), v.regex(words(12), 'must be a point'))

/** The identifiers of an offered credential. The rest of an offer is read when it is accepted. */
export const OfferedIds = v.object({ cred_def_id: Id, schema_id: Id })

export const Offer = v.object({
  ...OfferedIds.entries,
  key_correctness_proof: v.object({
    c: Hash,
    xz_cap: BlindedResidue,
    /** One for each attribute and for the link secret. */
    xr_cap: v.pipe(v.array(v.strictTuple([Name, BlindedResidue])), v.maxLength(MAX_ATTRIBUTES + 1)),
  }),
  nonce: Nonce,
  method_name: v.nullish(Name),
})

export const CredentialRequest = v.object({
  cred_def_id: Id,
  entropy: v.nullish(v.pipe(v.string(), v.maxLength(1024))),
  prover_did: v.nullish(v.pipe(v.string(), v.maxLength(1024))),
  nonce: Nonce,
  blinded_ms: v.object({
    u: Residue,
    ur: v.nullish(Point),
    /** Another one would change a value that the issuer signs. */
    hidden_attributes: v.strictTuple([v.literal(LINK_SECRET)]),
    committed_attributes: v.optional(v.object({}), {}),
  }),
  blinded_ms_correctness_proof: v.object({
    c: Hash,
    /** A hash times the blinding, of 2,128 bits. */
    v_dash_cap: ofBits(2386),
    m_caps: v.object({ [LINK_SECRET]: ofBits(594) }),
    r_caps: v.optional(v.object({}), {}),
  }),
})

/** A prime in this range: it is large enough not to be forged, and small enough for its primality test. */
const E = between(2n ** 596n, 2n ** 596n + 2n ** 119n)

const RevocationSignature = v.object({
  sigma: Point,
  c: Element,
  vr_prime_prime: Element,
  witness_signature: v.object({ sigma_i: TwistedPoint, u_i: TwistedPoint, g_i: Point }),
  g_i: Point,
  /** The credential's index in its registry. */
  i: v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(MAX_REGISTRY)),
  m2: Element,
})

export const Credential = v.object({
  cred_def_id: Id,
  schema_id: Id,
  rev_reg_id: v.nullish(Id),
  /** Compared with the offer's. */
  values: v.record(v.string(), v.object({ raw: v.string(), encoded: v.string() })),
  signature: v.object({
    p_credential: v.object({ m_2: Hash, a: Residue, e: E, v: ofBits(2724) }),
    r_credential: v.nullish(RevocationSignature),
  }),
  signature_correctness_proof: v.object({ se: Residue, c: Hash }),
  rev_reg: v.nullish(v.object({ accum: TwistedPoint })),
  witness: v.nullish(v.object({ omega: TwistedPoint })),
})

export type Credential = v.InferOutput<typeof Credential>
