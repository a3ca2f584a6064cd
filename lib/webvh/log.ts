/** The log of a did:webvh as somebody serves it: bounded, and verified by its hashes, signatures and witnesses. */
import { multibaseDecode, parseDidKeyVerificationMethod, prepareDataForSigning, resolveDIDFromLog } from 'didwebvh-ts'
import * as v from 'valibot'
import { findFlaw } from '../json.ts'
import { SIGNED_JSON_RULES } from './canonical-json.ts'
import { MAX_ID, type WebvhDid } from './did.ts'

/** Of a log or of a file of witness proofs. */
export const MAX_LOG_BYTES = 256 * 1024
const MAX_ENTRIES = 200
/** Of an entry: each is verified. */
const MAX_PROOFS = 4
/** Of a file: each is verified for each entry that needs witnesses. */
const MAX_WITNESS_PROOFS = 50
/** Verifications of witness proofs for one log: a half is 0.1 s. */
const MAX_WITNESS_CHECKS = 1_000

const METHOD = 'did:webvh:1.0'

const Short = v.pipe(v.string(), v.maxLength(MAX_ID))

const Proof = v.looseObject({
  type: v.literal('DataIntegrityProof'),
  cryptosuite: v.literal('eddsa-jcs-2022'),
  proofPurpose: v.literal('assertionMethod'),
  verificationMethod: v.pipe(Short, v.startsWith('did:key:')),
  proofValue: v.pipe(v.string(), v.maxLength(200)),
})

/** didwebvh-ts takes an entry with an empty list of proofs for a signed one. */
const proofs = (max: number) => v.pipe(v.array(Proof), v.minLength(1), v.maxLength(max))

const Entry = v.looseObject({
  versionId: v.pipe(v.string(), v.regex(/^[1-9][0-9]{0,3}-[1-9A-HJ-NP-Za-km-z]{1,100}$/)),
  versionTime: v.pipe(v.string(), v.maxLength(40)),
  parameters: v.record(v.string(), v.unknown()),
  state: v.looseObject({ id: Short }),
  proof: proofs(MAX_PROOFS),
})

const Log = v.pipe(v.array(Entry), v.minLength(1), v.maxLength(MAX_ENTRIES))

const WitnessProofs = v.pipe(
  v.array(v.looseObject({ versionId: v.pipe(v.string(), v.maxLength(200)), proof: proofs(MAX_WITNESS_PROOFS) })),
  v.check((sets) => sets.flatMap(({ proof }) => proof).length <= MAX_WITNESS_PROOFS, 'has too many proofs'),
)

type LogEntry = v.InferOutput<typeof Entry>

/** Base58 is read in time that is quadratic in its length. */
const hasLongText = (value: unknown): boolean => {
  if (typeof value === 'string') return value.length > MAX_ID
  return typeof value === 'object' && value !== null && Object.values(value).some(hasLongText)
}

const checked = <S extends v.GenericSchema>(schema: S, value: unknown): v.InferOutput<S> => {
  if (findFlaw(value, SIGNED_JSON_RULES) !== undefined || hasLongText(value)) throw new Error('it has a flaw')
  const result = v.safeParse(schema, value, { abortEarly: true })
  if (!result.success) throw new Error(`${v.getDotPath(result.issues[0]) ?? 'it'} is not as the method has it`)
  return result.output
}

/** The entries of a log, as far as they can be told without their signatures. Throws for anything else. */
export const parseLog = (text: string): LogEntry[] => {
  const lines = text.trim().split('\n')
  if (lines.length > MAX_ENTRIES) throw new Error('the log has too many entries')
  const log = checked(
    Log,
    lines.map((line) => JSON.parse(line)),
  )
  if (log[0]?.parameters.method !== METHOD) throw new Error(`the log is not of ${METHOD}`)
  return log
}

/** Whether the proofs of witnesses may be needed to verify a log. */
export const needsWitnessProofs = (log: LogEntry[]): boolean =>
  log.some(({ parameters: { witness, witnesses } }) => isFilled(witness) || witnesses !== undefined)

const isFilled = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && Object.keys(value).length > 0

/** Throws for what is no file of witness proofs, or for one that takes too long to verify with this log. */
export const parseWitnessProofs = (text: string, log: LogEntry[]): v.InferOutput<typeof WitnessProofs> => {
  const found = checked(WitnessProofs, JSON.parse(text))
  if (log.length * found.flatMap(({ proof }) => proof).length > MAX_WITNESS_CHECKS)
    throw new Error('the log has too many witness proofs')
  return found
}

/** Verifies an Ed25519 signature. */
export type VerifyEd25519 = (signature: Uint8Array, data: Uint8Array, publicKey: Uint8Array) => Promise<boolean>

interface Evidence {
  log: LogEntry[]
  witnessProofs: v.InferOutput<typeof WitnessProofs>
  verify: VerifyEd25519
}

type WitnessProof = v.InferOutput<typeof Proof>

const isSigned = async (versionId: string, proof: WitnessProof, verify: VerifyEd25519): Promise<boolean> => {
  try {
    const { proofValue, ...options } = proof
    const key: Uint8Array = multibaseDecode(parseDidKeyVerificationMethod(proof.verificationMethod).keyMultibase).bytes
    const data: Uint8Array = await prepareDataForSigning({ versionId }, options)
    return key.length === 34 && (await verify(multibaseDecode(proofValue).bytes, data, key.slice(2)))
  } catch {
    return false
  }
}

/** Without proofs that nobody has signed: didwebvh-ts would write a line of log for each, and for each entry. */
const signedOnly = async ({ witnessProofs, verify }: Evidence): Promise<Evidence['witnessProofs']> => {
  const signed = []
  for (const { versionId, proof: given } of witnessProofs) {
    const proof = []
    for (const one of given) if (await isSigned(versionId, one, verify)) proof.push(one)
    signed.push({ versionId, proof })
  }
  return signed
}

/** What didwebvh-ts makes of a log. Its own types can't be resolved by Node's rules. */
interface Resolved {
  did: string
  doc: { id?: string } | null
  meta: { error?: string; deactivated?: boolean }
}

/** The document of the log's newest version. Throws where the log is not a valid one of this DID, or the DID is deactivated. */
export const documentOf = async (did: WebvhDid, evidence: Evidence): Promise<object> => {
  const { log, verify } = evidence
  const found: Resolved = await resolveDIDFromLog(log, {
    scid: did.scid,
    verifier: { verify },
    // Never absent: didwebvh-ts would fetch them, past the address guard.
    witnessProofs: await signedOnly(evidence),
  })
  if (found.meta.error !== undefined || found.meta.deactivated) throw new Error('the DID is invalid or deactivated')
  if (found.did !== did.did || found.doc?.id !== did.did) throw new Error('the log is of another DID')
  return found.doc
}
