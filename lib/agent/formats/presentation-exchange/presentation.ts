/** Responds to presentation definitions with stored credentials (DIF Presentation Exchange, Aries RFC 0510). */
import { randomUUID } from 'node:crypto'
import { type AgentContext, CredoError } from '@credo-ts/core'
import * as v from 'valibot'
import { invalidField } from '../../../errors.ts'
import type { ProofAcceptance } from '../../../interface/proof-acceptance.ts'
import {
  chooseCredentials,
  type StoredCredential,
  type UnsatisfiedReason,
} from '../../../presentation-exchange/choose-credentials.ts'
import { permits } from '../../../presentation-exchange/definition.ts'
import { ReceivedDefinition } from '../../../presentation-exchange/definition-schema.ts'
import { Work, WorkLimitError } from '../../../presentation-exchange/work.ts'
import { findOwnDid, issuerDid } from '../../dids/index.ts'
import { unreadDocument } from '../../web/index.ts'
import { type PreparedResponse, preparedResponse, unanswerableError } from '../index.ts'
import {
  type ClaimsReader,
  CREDENTIALS_V1,
  claimsReader,
  listCredentials,
  readCredential,
  signPresentation,
} from '../json-ld/index.ts'
import { attached, jsonOf, type Options } from './requests.ts'

type Json = Record<string, unknown>

const FORMAT = 'proofFormats.presentationExchange'
const CREDENTIALS_PATH = `${FORMAT}.credentials`

/** The verifier's request. Without a challenge, the presentation could be replayed. */
const Request = v.object({
  presentation_definition: ReceivedDefinition,
  options: v.object({
    challenge: v.pipe(v.string(), v.minLength(1), v.maxLength(1024)),
    domain: v.optional(v.pipe(v.string(), v.maxLength(1024))),
  }),
})

const PRESENTATION = 'dif/presentation-exchange/submission@v1.0'

type Choice = NonNullable<ProofAcceptance['proofFormats']['presentationExchange']>
/** Ids of credential records by input descriptor. */
type NamedCredentials = NonNullable<Choice['credentials']>

/** The response that was prepared, or else one with the caller's choice, which the contract has checked. */
export const presentationResponse = async (
  format: Parameters<typeof preparedResponse>[0],
  agentContext: AgentContext,
  { attachmentId, proofFormats, proofRecord, requestAttachment }: Options<'acceptRequest'>,
): Promise<PreparedResponse> => {
  const prepared = preparedResponse(format, proofRecord)
  if (prepared !== undefined) return prepared
  const { credentials = {} }: Choice = Object(proofFormats?.presentationExchange)
  return attached(
    PRESENTATION,
    attachmentId,
    await presentationFor(agentContext, jsonOf(requestAttachment), credentials),
  )
}

/**
 * A signed presentation. It uses the named credentials (record ids by descriptor), and suitable ones for other
 * descriptors. Throws `request.invalid` if nothing matches, with the path of the named credential or of the format.
 */
const presentationFor = async (
  agentContext: AgentContext,
  request: unknown,
  named: NamedCredentials,
): Promise<Json> => {
  const read = v.safeParse(Request, request)
  if (!read.success)
    throw unanswerableError(FORMAT, `${v.getDotPath(read.issues[0]) ?? 'it'} ${read.issues[0].message}`)
  const { presentation_definition: definition, options } = read.output
  const { signer, chosen } = await chooseSigner(agentContext, definition, named)
  // Credo cannot create a presentation without credentials.
  if (chosen.length === 0) throw unanswerableError(FORMAT, 'it requires no credential, and the call names none')
  const credentials = [...new Set(chosen.map(({ credential }) => credential))]
  const unsigned = {
    '@context': [CREDENTIALS_V1, 'https://identity.foundation/presentation-exchange/submission/v1'],
    type: ['VerifiablePresentation', 'PresentationSubmission'],
    presentation_submission: {
      id: randomUUID(),
      definition_id: definition.id,
      descriptor_map: chosen.map(({ descriptorId, credential }) => ({
        ...{ id: descriptorId, format: 'ldp_vc' },
        path: `$.verifiableCredential[${credentials.indexOf(credential)}]`,
      })),
    },
    verifiableCredential: credentials.map(({ json }) => json),
  }
  try {
    return await signPresentation(agentContext, unsigned, {
      ...{ signer, ...options },
      permits: (proofType) => permits(definition.format, 'ldp_vp', proofType),
    })
  } catch (error) {
    if (error instanceof CredoError) throw unanswerableError(FORMAT, error.message)
    throw error
  }
}

const credentialsOf = async (
  named: NamedCredentials,
  readClaims: ClaimsReader,
): Promise<Map<string, StoredCredential[]>> => {
  const byDescriptor = new Map<string, StoredCredential[]>()
  for (const [descriptorId, ids] of Object.entries(named)) {
    const credentials: StoredCredential[] = []
    for (const id of new Set(ids)) {
      const credential = await readCredential(id, readClaims)
      if (credential === undefined)
        throw invalidField(
          `${CREDENTIALS_PATH}.${descriptorId}`,
          'names a record that is not a JSON-LD credential of this agent',
        )
      credentials.push(credential)
    }
    byDescriptor.set(descriptorId, credentials)
  }
  return byDescriptor
}

type Definition = v.InferOutput<typeof ReceivedDefinition>

/**
 * One DID signs the presentation, so each credential must have this subject or none. The subjects that are DIDs of this
 * agent are tried in the order of the credentials.
 */
const chooseSigner = async (agentContext: AgentContext, definition: Definition, choice: NamedCredentials) => {
  let unreadableReason: string | undefined
  const readClaims = claimsReader(agentContext, (reason) => {
    unreadableReason ??= `: a stored credential ${reason}`
  })
  const named = await credentialsOf(choice, readClaims)
  const needsOthers = definition.input_descriptors.some(({ id }) => !named.has(id))
  const others = needsOthers ? await listCredentials(readClaims) : []
  const all = [...[...named.values()].flat(), ...others]
  const work = new Work()
  let unsatisfied: UnsatisfiedReason | undefined
  try {
    let otherSubjects = 0
    for (const signer of signersOf(all)) {
      const chosen = await chooseCredentials({ definition, named, others, signer }, work)
      if (!Array.isArray(chosen)) unsatisfied ??= chosen
      else if (await isOwnDid(agentContext, signer)) return { signer, chosen }
      else {
        unsatisfied ??= notOwnSubject(named, signer)
        if (++otherSubjects === MAX_OTHER_SUBJECTS) break
      }
    }
    // Credentials without a subject are presented by the agent's issuer DID.
    if (all.some(({ subjects }) => subjects.length === 0)) {
      const signer = await issuerDid({ context: agentContext })
      const chosen = await chooseCredentials({ definition, named, others, signer }, work)
      if (Array.isArray(chosen)) return { signer, chosen }
      unsatisfied ??= chosen
    }
  } catch (error) {
    if (error instanceof WorkLimitError) throw unanswerableError(FORMAT, error.message)
    throw error
  }
  const { descriptorId, reason } = unsatisfied ?? { reason: 'the agent has no JSON-LD credential' }
  const invalid =
    descriptorId === undefined
      ? unanswerableError(FORMAT, reason + (unreadableReason ?? ''))
      : invalidField(`${CREDENTIALS_PATH}.${descriptorId}`, reason)
  throw unreadDocument() ?? invalid
}

/** Maximum number of subjects of a credential to try as signers: the issuer chooses how many there are. */
const MAX_SUBJECTS = 20

/** Maximum number of matching subjects that are not DIDs of this agent. Each costs a lookup. */
const MAX_OTHER_SUBJECTS = 20

/**
 * Possible signers, from the credentials with the fewest subjects first, so that one with thousands delays no other.
 */
const signersOf = (credentials: readonly StoredCredential[]): Set<string> =>
  new Set(
    credentials
      .toSorted((a, b) => a.subjects.length - b.subjects.length)
      .flatMap(({ subjects }) => subjects.slice(0, MAX_SUBJECTS)),
  )

const notOwnSubject = (named: ReadonlyMap<string, readonly StoredCredential[]>, signer: string): UnsatisfiedReason => {
  const [descriptorId] =
    [...named].find(([, credentials]) => credentials.some(({ subjects }) => subjects.includes(signer))) ?? []
  const reason = 'has a subject that is not a DID of this agent'
  return { reason, ...(descriptorId !== undefined && { descriptorId }) }
}

const isOwnDid = async (agentContext: AgentContext, did: string): Promise<boolean> =>
  (await findOwnDid({ context: agentContext }, did)) !== undefined
