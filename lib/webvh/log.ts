/** Parses and verifies served logs of did:webvh: limits, hashes, signatures and witnesses. */
import { multibaseDecode, parseDidKeyVerificationMethod, prepareDataForSigning, resolveDIDFromLog } from 'didwebvh-ts'
import * as v from 'valibot'
import { findViolation, parseDocument } from '../json.ts'
import { contentHash } from './attested-resource.ts'
import { MAX_ID, SIGNED_JSON_RULES, type WebvhDid } from './did.ts'

/** Maximum size of a log, or of a file of witness proofs. */
export const MAX_LOG_BYTES = 256 * 1024
const MAX_ENTRIES = 200
/** Per entry; each is verified. */
const MAX_PROOFS = 4
/** Per file; each is verified for each entry with witnesses. */
const MAX_WITNESS_PROOFS = 50
/** Verifications of witness proofs per log. Half of this takes 0.1 s. */
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

/** didwebvh-ts accepts an entry with an empty list of proofs as signed. */
const proofs = (max: number) => v.pipe(v.array(Proof), v.minLength(1), v.maxLength(max))

const Entry = v.looseObject({
  versionId: v.pipe(v.string(), v.regex(/^[1-9][0-9]{0,3}-[1-9A-HJ-NP-Za-km-z]{1,100}$/)),
  versionTime: v.pipe(v.string(), v.maxLength(40)),
  parameters: v.record(v.string(), v.unknown()),
  state: v.looseObject({ id: Short }),
  proof: proofs(MAX_PROOFS),
})

const Log = v.array(Entry)

const WitnessProofs = v.pipe(
  v.array(v.looseObject({ versionId: v.pipe(v.string(), v.maxLength(200)), proof: proofs(MAX_WITNESS_PROOFS) })),
  v.check((sets) => sets.flatMap(({ proof }) => proof).length <= MAX_WITNESS_PROOFS, 'has too many proofs'),
)

type LogEntry = v.InferOutput<typeof Entry>

/** The log was not verified, because that would take too long. */
export class LogTooLongError extends Error {}

/** Base58 takes quadratic time. None of it is decoded in `state`, the document. */
const hasLongText = (value: unknown): boolean => {
  if (typeof value === 'string') return value.length > MAX_ID
  if (typeof value !== 'object' || value === null) return false
  return Object.entries(value).some(([name, member]) => name !== 'state' && hasLongText(member))
}

const checked = <S extends v.GenericSchema>(schema: S, value: unknown): v.InferOutput<S> => {
  if (findViolation(value, SIGNED_JSON_RULES) !== undefined || hasLongText(value))
    throw new Error('it is nested too deeply, or has a forbidden name or too long a text')
  const result = v.safeParse(schema, value, { abortEarly: true })
  if (!result.success)
    throw new Error(`${v.getDotPath(result.issues[0]) ?? 'it'} does not match the schema of the method`)
  return result.output
}

/** Parses the entries of a log without verifying them. Throws if malformed. */
export const parseLog = (text: string): LogEntry[] => {
  const lines = text.trim().split('\n')
  if (lines.length > MAX_ENTRIES) throw new LogTooLongError('the log has too many entries')
  const log = checked(
    Log,
    lines.map((line) => JSON.parse(line)),
  )
  if (log[0]?.parameters.method !== METHOD) throw new Error(`the log is not of ${METHOD}`)
  return log
}

/** Whether verification may need witness proofs. */
export const needsWitnessProofs = (log: LogEntry[]): boolean =>
  log.some(({ parameters: { witness } }) => isFilled(witness))

const isFilled = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && Object.keys(value).length > 0

/** Parses a file of witness proofs. Throws if it is malformed, or would take too long to verify with this log. */
export const parseWitnessProofs = (text: string, log: LogEntry[]): v.InferOutput<typeof WitnessProofs> => {
  const found = checked(WitnessProofs, parseDocument(text))
  if (log.length * found.flatMap(({ proof }) => proof).length > MAX_WITNESS_CHECKS)
    throw new LogTooLongError('the log has too many witness proofs')
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
    return await verify(multibaseDecode(proofValue).bytes, data, key.slice(2))
  } catch {
    return false
  }
}

/** Removes proofs with invalid signatures: didwebvh-ts would write a log line for each of them and each entry. */
const signedOnly = async ({ witnessProofs, verify }: Evidence): Promise<Evidence['witnessProofs']> => {
  const signed = []
  for (const { versionId, proof: candidates } of witnessProofs) {
    const proof = []
    for (const one of candidates) if (await isSigned(versionId, one, verify)) proof.push(one)
    signed.push({ versionId, proof })
  }
  return signed
}

/**
 * Throws if the first entry is not the one that its versionId names: didwebvh-ts verifies another, with the SCID
 * wherever this has `{SCID}`. https://identity.foundation/didwebvh/v1.0/#entry-hash-generation-and-verification
 */
const assertNamed = ([entry]: LogEntry[], { scid }: WebvhDid): void => {
  const { proof: _, ...signed } = entry ?? {}
  if (entry?.versionId !== `1-${contentHash({ ...signed, versionId: scid }).slice(1)}`)
    throw new Error('the first entry is not the one that its versionId names')
}

/** A result of didwebvh-ts. Node's rules can't resolve its own types. */
interface Resolved {
  doc: { id?: string } | null
  meta: { error?: string; deactivated?: boolean }
}

/**
 * The document of the log's newest version. Throws if the log is invalid or of another DID, or if the DID is
 * deactivated.
 */
export const documentOf = async (did: WebvhDid, evidence: Evidence): Promise<object> => {
  const { log, verify } = evidence
  const found: Resolved = await resolveDIDFromLog(log, {
    scid: did.scid,
    verifier: { verify },
    // Always given, because didwebvh-ts would otherwise fetch them past the address guard.
    witnessProofs: await signedOnly(evidence),
  })
  if (found.meta.deactivated) throw new Error('the DID is deactivated')
  if (found.meta.error !== undefined) throw new Error('the DID is invalid')
  if (found.doc?.id !== did.did) throw new Error('the log is of another DID')
  assertNamed(log, did)
  const service = log.at(-1)?.state.service ?? []
  // didwebvh-ts replaces what is not a list.
  return Array.isArray(service) ? found.doc : { ...found.doc, service }
}
