/** The schema of an AnonCreds presentation: form and limits. The other files of this folder check its claims. */
import * as v from 'valibot'
import { Id } from '../../../../records/anoncreds-objects.ts'

/** Maximum number of credentials in a presentation. */
const MAX_CREDENTIALS = 10

/** Maximum number of digits in a proof. The longest number, of 3,060 bits, has 922. */
const MAX_DIGITS = 1000

const MAX_NAME = 256

/** Only one form of each number, because texts are compared: the library reads `7`, `07` and `7x` alike. */
const Digits = v.pipe(v.string(), v.maxLength(MAX_DIGITS), v.regex(/^(?:0|[1-9][0-9]*)$/))

/** Group elements of non-revocation proofs, in hexadecimal. */
const Element = v.pipe(v.string(), v.maxLength(64), v.regex(/^[0-9A-F]+$/))
const Point = v.pipe(v.string(), v.maxLength(1000), v.regex(/^[0-9A-F]+(?: [0-9A-F]+)*$/))

const Name = v.pipe(v.string(), v.maxLength(MAX_NAME))

const byName = <Value extends v.GenericSchema>(value: Value) =>
  v.pipe(
    v.record(Name, value),
    v.check((entries) => Object.keys(entries).length <= 256),
  )

/** Strict, because the library would read another member, such as the old `m1`, instead of one of these. */
const EqualityProof = v.strictObject({
  /** Compared with `requested_proof`. */
  revealed_attrs: byName(v.string()),
  a_prime: Digits,
  e: Digits,
  v: Digits,
  m: byName(Digits),
  m2: Digits,
})

const SQUARES = { 0: Digits, 1: Digits, 2: Digits, 3: Digits }

const InequalityProof = v.strictObject({
  u: v.strictObject(SQUARES),
  r: v.strictObject({ ...SQUARES, DELTA: Digits }),
  mj: Digits,
  alpha: Digits,
  t: v.strictObject({ ...SQUARES, DELTA: Digits }),
  predicate: v.strictObject({
    attr_name: Name,
    p_type: v.picklist(['GE', 'GT', 'LE', 'LT']),
    value: v.pipe(v.number(), v.integer()),
  }),
})

/** Without the `m2` of older provers, with which the library does not bind the proof to the credential. */
const HIDDEN = [
  ...['rho', 'r', 'r_prime', 'r_prime_prime', 'r_prime_prime_prime', 'o', 'o_prime'],
  ...['m', 'm_prime', 't', 't_prime', 's', 'c'],
] as const

const NonRevocationProof = v.strictObject({
  x_list: v.strictObject(v.entriesFromList(HIDDEN, Element)),
  c_list: v.strictObject({ e: Point, d: Point, a: Point, g: Point, w: Point, s: Point, u: Point }),
})

const SubProof = v.strictObject({
  primary_proof: v.strictObject({
    eq_proof: EqualityProof,
    /** predicates.ts checks the number. */
    ge_proofs: v.array(InequalityProof),
  }),
  non_revoc_proof: v.nullish(NonRevocationProof),
})

const Byte = v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(255))

const Index = v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(MAX_CREDENTIALS - 1))

const Value = v.object({ raw: v.string(), encoded: v.string() })

const Identifier = v.object({
  schema_id: Id,
  cred_def_id: Id,
  rev_reg_id: v.nullish(Id),
  timestamp: v.nullish(v.pipe(v.number(), v.safeInteger(), v.minValue(1))),
})

export const Presentation = v.object({
  proof: v.strictObject({
    proofs: v.pipe(v.array(SubProof), v.maxLength(MAX_CREDENTIALS)),
    aggregated_proof: v.strictObject({
      c_hash: Digits,
      c_list: v.array(v.pipe(v.array(Byte), v.maxLength(512))),
    }),
  }),
  requested_proof: v.object({
    revealed_attrs: v.record(v.string(), v.object({ sub_proof_index: Index, ...Value.entries })),
    revealed_attr_groups: v.optional(
      v.record(v.string(), v.object({ sub_proof_index: Index, values: v.record(v.string(), Value) })),
      {},
    ),
    self_attested_attrs: v.optional(v.record(v.string(), v.string()), {}),
    unrevealed_attrs: v.optional(v.record(v.string(), v.object({ sub_proof_index: Index })), {}),
    predicates: v.optional(v.record(v.string(), v.object({ sub_proof_index: Index })), {}),
  }),
  identifiers: v.pipe(v.array(Identifier), v.maxLength(MAX_CREDENTIALS)),
})

export type Presentation = v.InferOutput<typeof Presentation>
export type SubProof = Presentation['proof']['proofs'][number]
export type Identifier = Presentation['identifiers'][number]

/** Parses a presentation; undefined if it is malformed. Unknown members are dropped. */
export const readPresentation = (json: unknown): Presentation | undefined => {
  const { success, output } = v.safeParse(Presentation, json, { abortEarly: true })
  return success ? output : undefined
}
