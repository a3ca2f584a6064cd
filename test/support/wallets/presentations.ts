/** Credentials and presentations made by hand: with a holder's own credentials, or with stolen ones. */
import { randomUUID } from 'node:crypto'
import {
  JsonTransformer,
  SignatureSuiteRegistry,
  W3cCredential,
  W3cCredentialsModule,
  W3cCredentialsModuleConfig,
  W3cJsonLdCredentialService,
  W3cPresentation,
} from '@credo-ts/core'
import type { RawAnswer, RawMessages } from '../../wallet/raw-messages.ts'
import type { Wallet } from '../../wallet/wallet.ts'
import type { Caller, InProcessStage, Json } from '../stage/in-process-stage.ts'
import { askWallet, type Thread } from './asked-proof.ts'

export const CREDENTIALS_V1 = 'https://www.w3.org/2018/credentials/v1'

const PROOF_TYPE = 'Ed25519Signature2018'

/** Context documents by address: those that this holder and its issuers load, in addition to Credo's. */
export type Contexts = Record<string, Json>

const keyOf = (did: string): string => `${did}#${did.slice('did:key:'.length)}`

/** Signs with the keys of a wallet, with its own contexts. */
const serviceOf = (wallet: Wallet, contexts: Contexts): W3cJsonLdCredentialService => {
  const { context } = wallet.agent
  const documentLoader = () => {
    const load = new W3cCredentialsModule().config.documentLoader(context)
    return async (url: string) =>
      contexts[url] === undefined ? load(url) : { contextUrl: null, documentUrl: url, document: contexts[url] }
  }
  return new W3cJsonLdCredentialService(
    context.resolve(SignatureSuiteRegistry),
    new W3cCredentialsModuleConfig({ documentLoader }),
  )
}

/** A credential that `issuer` has signed; the defaults are those of a degree without a subject id. */
export const issue = async (issuer: Wallet, credential: Json, contexts: Contexts = {}): Promise<Json> => {
  const whole = {
    type: ['VerifiableCredential'],
    issuer: issuer.did,
    issuanceDate: '2026-01-01T00:00:00Z',
    ...credential,
  }
  const signed = await serviceOf(issuer, contexts).signCredential(issuer.agent.context, {
    format: 'ldp_vc' as never,
    credential: JsonTransformer.fromJSON(whole, W3cCredential),
    proofType: PROOF_TYPE,
    verificationMethod: keyOf(issuer.did),
  })
  return JsonTransformer.toJSON(signed)
}

export interface PresentOptions {
  challenge: string
  domain?: string
  holder?: string
  contexts?: Contexts
  /** Further properties of the presentation, signed with it. */
  more?: Json
}

/** A presentation that `holder` has signed. */
export const present = async (
  holder: Wallet,
  credentials: readonly Json[],
  { challenge, domain, contexts = {}, more = {}, ...claimed }: PresentOptions,
): Promise<Json> => {
  const presentation = {
    '@context': [CREDENTIALS_V1, 'https://identity.foundation/presentation-exchange/submission/v1'],
    type: ['VerifiablePresentation', 'PresentationSubmission'],
    ...(claimed.holder !== undefined && { holder: claimed.holder }),
    verifiableCredential: credentials,
    ...more,
  }
  const signed = await serviceOf(holder, contexts).signPresentation(holder.agent.context, {
    format: 'ldp_vp' as never,
    presentation: JsonTransformer.fromJSON(presentation, W3cPresentation),
    proofType: PROOF_TYPE,
    proofPurpose: undefined as never,
    verificationMethod: keyOf(holder.did),
    challenge,
    ...(domain !== undefined && { domain }),
  })
  return JsonTransformer.toJSON(signed)
}

/** Maps credentials to descriptors in order. */
export const submissionOf = (definition: Json, paths?: readonly string[]): Json => ({
  id: randomUUID(),
  definition_id: definition.id,
  descriptor_map: definition.input_descriptors.map(({ id }: Json, index: number) => ({
    id,
    format: 'ldp_vp',
    path: paths?.[index] ?? `$.verifiableCredential[${index}]`,
  })),
})

/** A presentation as the message that answers a proof request. */
export const presentationMessage = (thread: Thread, presentation: unknown): Json => ({
  '@type': 'https://didcomm.org/present-proof/2.0/presentation',
  '@id': randomUUID(),
  '~thread': thread,
  '~transport': { return_route: 'all' },
  formats: [{ attach_id: 'a', format: 'dif/presentation-exchange/submission@v1.0' }],
  'presentations~attach': [{ '@id': 'a', 'mime-type': 'application/json', data: { json: presentation } }],
})

export const sendPresentation = (
  raw: RawMessages,
  connectionId: string,
  thread: Thread,
  presentation: unknown,
): Promise<RawAnswer> => raw.sendOn(connectionId, presentationMessage(thread, presentation))

export interface AskedForProof {
  challenge: string
  definition: Json
  /** Sends a presentation. Resolves to the proof as the tenant reads it then. */
  answer: (presentation: unknown) => Promise<Json>
  /** The reply to the wallet, for each answer. */
  answers: RawAnswer[]
}

/** Asks a wallet for a proof, over a connection of its own. `presentationExchange` is that of CreateRequest. */
export const askForProof = async (
  stage: InProcessStage,
  caller: Caller & { tenantId: string },
  wallet: Wallet,
  presentationExchange: Json,
): Promise<AskedForProof> => {
  const body = { protocolVersion: 'v2', autoAcceptProof: 'always', proofFormats: { presentationExchange } }
  const { request, thread, send, answers } = await askWallet(stage, caller, wallet, body)
  return {
    challenge: request.presentationExchange.options.challenge,
    definition: presentationExchange.presentationDefinition,
    answers,
    answer: (presentation) => send(presentationMessage(thread, presentation)),
  }
}
