/** A record of each type that the agent stores, with whatever the type can hold. */
import { createHash, randomUUID } from 'node:crypto'
import { DidDocument, DidDocumentRole, DidRecord, JsonTransformer, TypedArrayEncoder } from '@credo-ts/core'
import {
  DidCommAutoAcceptCredential,
  DidCommAutoAcceptProof,
  DidCommBasicMessageRecord,
  DidCommBasicMessageRole,
  DidCommConnectionRecord,
  DidCommCredentialExchangeRecord,
  DidCommCredentialPreviewAttribute,
  DidCommCredentialRole,
  DidCommCredentialState,
  DidCommDidExchangeRole,
  DidCommDidExchangeState,
  DidCommHandshakeProtocol,
  DidCommMessageRecord,
  DidCommMessageRole,
  DidCommOutOfBandInvitation,
  DidCommOutOfBandRecord,
  DidCommOutOfBandRole,
  DidCommOutOfBandState,
  DidCommProofExchangeRecord,
  DidCommProofRole,
  DidCommProofState,
} from '@credo-ts/didcomm'

const createdAt = new Date('2026-01-02T03:04:05.678Z')

const didDocument = (did: string): DidDocument =>
  JsonTransformer.fromJSON(
    {
      '@context': ['https://w3id.org/did/v1'],
      id: did,
      verificationMethod: [
        {
          id: '#key-1',
          type: 'Ed25519VerificationKey2018',
          controller: did,
          publicKeyBase58: TypedArrayEncoder.toBase58(createHash('sha256').update(did).digest()),
        },
      ],
      authentication: ['#key-1'],
      service: [
        {
          id: '#didcomm',
          type: 'did-communication',
          serviceEndpoint: 'https://example.com/didcomm',
          recipientKeys: ['#key-1'],
          routingKeys: [],
          priority: 0,
        },
      ],
    },
    DidDocument,
  )

export const didRecord = (did = 'did:peer:2.one'): DidRecord => {
  const record = new DidRecord({
    did,
    role: DidDocumentRole.Created,
    didDocument: didDocument(did),
    keys: [{ didDocumentRelativeKeyId: '#key-1', kmsKeyId: 'k1' }],
    createdAt,
    tags: { alternativeDids: ['did:peer:4zLong', 'did:peer:4zShort'] },
  })
  record.metadata.set('_internal/legacyDid', { unqualifiedDid: 'abc', didDocumentString: '{}' })
  return record
}

export const connectionRecord = (
  changes: Partial<ConstructorParameters<typeof DidCommConnectionRecord>[0]> = {},
): DidCommConnectionRecord => {
  const record = new DidCommConnectionRecord({
    state: DidCommDidExchangeState.Completed,
    role: DidCommDidExchangeRole.Responder,
    did: 'did:peer:ours',
    theirDid: 'did:peer:theirs',
    theirLabel: 'Bob',
    alias: 'Bob "the wallet" \u{1f600}',
    threadId: 'thread-1',
    outOfBandId: 'oob-1',
    invitationDid: 'did:peer:invitation',
    protocol: DidCommHandshakeProtocol.DidExchange,
    connectionTypes: ['mediator'],
    previousDids: ['did:peer:before'],
    previousTheirDids: ['did:peer:theirs-before'],
    autoAcceptConnection: true,
    createdAt,
    tags: { custom: 'tag' },
    ...changes,
  })
  record.metadata.set('useDidKeysInProtocol', { value: true })
  return record
}

export const outOfBandRecord = (): DidCommOutOfBandRecord => {
  const invitation = new DidCommOutOfBandInvitation({
    // One `@id` is one agent's, and these are written again and again.
    id: randomUUID(),
    label: 'Acme',
    goalCode: 'request-proof',
    accept: ['didcomm/aip1'],
    handshakeProtocols: ['https://didcomm.org/didexchange/1.1'],
    services: ['did:peer:2.service'],
  })
  return new DidCommOutOfBandRecord({
    role: DidCommOutOfBandRole.Sender,
    state: DidCommOutOfBandState.AwaitResponse,
    outOfBandInvitation: invitation,
    reusable: false,
    autoAcceptConnection: true,
    createdAt,
    tags: { recipientKeyFingerprints: ['z6MkOne', 'z6MkTwo'] },
    invitationInlineServiceKeys: [{ recipientKeyFingerprint: 'z6MkOne', kmsKeyId: 'k1' }],
  })
}

const credentialRecord = (): DidCommCredentialExchangeRecord =>
  new DidCommCredentialExchangeRecord({
    state: DidCommCredentialState.OfferSent,
    role: DidCommCredentialRole.Issuer,
    threadId: 'thread-1',
    parentThreadId: 'parent-1',
    connectionId: 'connection-1',
    protocolVersion: 'v2',
    autoAcceptCredential: DidCommAutoAcceptCredential.Always,
    credentialAttributes: [
      new DidCommCredentialPreviewAttribute({ name: 'degree', value: 'Bachelor', mimeType: 'text/plain' }),
    ],
    credentials: [{ credentialRecordType: 'w3c', credentialRecordId: 'credential-1' }],
    errorMessage: 'none',
    createdAt,
  })

export const proofRecord = (
  changes: Partial<ConstructorParameters<typeof DidCommProofExchangeRecord>[0]> = {},
): DidCommProofExchangeRecord =>
  new DidCommProofExchangeRecord({
    state: DidCommProofState.Done,
    role: DidCommProofRole.Verifier,
    threadId: 'thread-1',
    parentThreadId: 'parent-1',
    connectionId: 'connection-1',
    protocolVersion: 'v2',
    isVerified: false,
    autoAcceptProof: DidCommAutoAcceptProof.ContentApproved,
    createdAt,
    ...changes,
  })

export const basicMessageRecord = (
  changes: Partial<ConstructorParameters<typeof DidCommBasicMessageRecord>[0]> = {},
): DidCommBasicMessageRecord =>
  new DidCommBasicMessageRecord({
    connectionId: 'connection-1',
    role: DidCommBasicMessageRole.Receiver,
    content: 'Hello, "wallet" \u{1f600}\n',
    sentTime: '2026-01-02T03:04:05.678Z',
    threadId: 'thread-1',
    createdAt,
    ...changes,
  })

export const messageRecord = (associatedRecordId = 'proof-1'): DidCommMessageRecord =>
  new DidCommMessageRecord({
    message: {
      '@type': 'https://didcomm.org/present-proof/2.0/request-presentation',
      '@id': 'message-1',
      '~thread': { thid: 'thread-1' },
      formats: [{ attach_id: 'one', format: 'dif/presentation-exchange/definitions@v1.0' }],
      'request_presentations~attach': [{ '@id': 'one', 'mime-type': 'application/json', data: { json: { a: [1] } } }],
    },
    role: DidCommMessageRole.Sender,
    associatedRecordId,
    createdAt,
  })

/** What every record has, whatever its tags are called. */
export interface AnyRecord {
  id: string
  type: string
  createdAt: Date
  updatedAt?: Date
  metadata: { data: unknown }
  toJSON(): Record<string, unknown>
  getTags(): object
}

/** The class of a record: its constructor, and the name of its type. */
export interface RecordClass<T extends AnyRecord = AnyRecord> {
  new (...properties: never[]): T
  type: string
}

/** One of each type, beside its class. */
export const ALL: [string, RecordClass, () => AnyRecord][] = [
  ['DidRecord', DidRecord, didRecord],
  ['ConnectionRecord', DidCommConnectionRecord, connectionRecord],
  ['OutOfBandRecord', DidCommOutOfBandRecord, outOfBandRecord],
  ['CredentialRecord', DidCommCredentialExchangeRecord, credentialRecord],
  ['ProofRecord', DidCommProofExchangeRecord, proofRecord],
  ['BasicMessageRecord', DidCommBasicMessageRecord, basicMessageRecord],
  ['DidCommMessageRecord', DidCommMessageRecord, messageRecord],
]
