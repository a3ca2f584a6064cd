/** The test wallet against another wallet, whose side is Credo's own: the other interop tests rely on it. */
import { PeerDidNumAlgo, W3cJsonLdVerifiableCredential } from '@credo-ts/core'
import {
  DidCommAutoAcceptProof,
  DidCommDidExchangeState,
  type DidCommMessage,
  DidCommProofState,
} from '@credo-ts/didcomm'
import { afterEach, describe, expect, test } from 'vitest'
import { altering, type Network, repeating } from '../wallet/post.ts'
import { waitFor } from '../wallet/wait.ts'
import { Wallet } from '../wallet/wallet.ts'
import type { WalletOptions } from '../wallet/wallet-parts.ts'

const started: Wallet[] = []
const start = async (options: WalletOptions = {}) => {
  const wallet = await Wallet.start(options)
  started.push(wallet)
  return wallet
}
afterEach(async () => {
  await Promise.all(started.splice(0).map((wallet) => wallet.stop()))
})

const invite = async (inviter: Wallet, messages: DidCommMessage[] = []) => {
  const { outOfBandInvitation, id } = await inviter.agent.didcomm.oob.createInvitation({ label: 'Inviter', messages })
  return { id, url: outOfBandInvitation.toUrl({ domain: 'http://127.0.0.1' }) }
}

/** Two wallets with a connection: the id that each of them has for it. */
const connect = async (inviterOptions: WalletOptions = {}, holderOptions: WalletOptions = {}) => {
  const inviter = await start(inviterOptions)
  const holder = await start(holderOptions)
  const invitation = await invite(inviter)
  const connection = await holder.connect(invitation.url)
  const atInviter = await waitFor('the inviter to be connected', async () =>
    (await inviter.connections()).find(({ outOfBandId, isReady }) => outOfBandId === invitation.id && isReady),
  )
  return { inviter, holder, atHolder: connection.id, atInviter: atInviter.id, connection }
}

const presentationDefinition = {
  id: 'degree',
  input_descriptors: [
    {
      id: 'degree',
      schema: [{ uri: 'https://www.w3.org/2018/credentials/v1' }],
      constraints: { fields: [{ path: ['$.credentialSubject.degree'], filter: { type: 'string' } }] },
    },
  ],
}
const presentationRequest = {
  protocolVersion: 'v2' as const,
  autoAcceptProof: DidCommAutoAcceptProof.Always,
  proofFormats: { presentationExchange: { presentationDefinition, options: { challenge: 'a-challenge' } } },
}

const offerDegree = (issuer: Wallet, connectionId: string, subject: string) =>
  issuer.agent.didcomm.credentials.offerCredential({
    connectionId,
    protocolVersion: 'v2',
    credentialFormats: {
      jsonld: {
        credential: {
          '@context': [
            'https://www.w3.org/2018/credentials/v1',
            // An inline context: nothing is fetched. Credo's type has no room for one, Credo does.
            { degree: 'https://example.org/degree', DegreeCredential: 'https://example.org/DegreeCredential' },
          ] as string[],
          type: ['VerifiableCredential', 'DegreeCredential'],
          issuer: issuer.did,
          issuanceDate: '2026-01-01T00:00:00Z',
          credentialSubject: { id: subject, degree: 'Bachelor' },
        },
        options: { proofType: 'Ed25519Signature2018', proofPurpose: 'assertionMethod' },
      },
    },
  })

const noErrors = (...wallets: Wallet[]) => {
  for (const { journal } of wallets) {
    expect(journal.errors).toStrictEqual([])
    expect(journal.problems).toStrictEqual([])
  }
}

describe('a connection', () => {
  test.each(['didexchange', 'connections'] as const)('is made by %s', async (handshake) => {
    const { inviter, holder, connection } = await connect({}, { handshake })
    expect(connection.protocol).toContain(handshake)
    noErrors(inviter, holder)
  })

  test.each([
    PeerDidNumAlgo.GenesisDoc,
    PeerDidNumAlgo.MultipleInceptionKeyWithoutDoc,
    PeerDidNumAlgo.ShortFormAndLongForm,
  ])('is made with a did:peer:%d', async (peerDid) => {
    const { inviter, holder, connection, atInviter, atHolder } = await connect({}, { peerDid })
    expect(connection.did).toMatch(`did:peer:${peerDid}`)
    await inviter.sendMessage(atInviter, 'hello')
    await waitFor('the message', async () => (await holder.messages(atHolder)).length === 1)
    noErrors(inviter, holder)
  })
})

test('messages go both ways, in order', async () => {
  const { inviter, holder, atHolder, atInviter } = await connect()
  const contents = Array.from({ length: 10 }, (_, index) => `message ${index}`)
  for (const content of contents) await inviter.sendMessage(atInviter, content)
  const received = await waitFor('all messages', async () => {
    const messages = await holder.messages(atHolder)
    return messages.length === contents.length && messages
  })
  expect(received.map(({ role, content }) => ({ role, content }))).toStrictEqual(
    contents.map((content) => ({ role: 'receiver', content })),
  )
  await holder.sendMessage(atHolder, 'hello')
  await waitFor('the reply', async () => (await inviter.messages(atInviter)).length === contents.length + 1)
  noErrors(inviter, holder)
})

describe('a degree', () => {
  test('is accepted, held with its signature, and presented to a request that waited for it', async () => {
    const { inviter, holder, atHolder, atInviter } = await connect()
    const request = await inviter.agent.didcomm.proofs.requestProof({ ...presentationRequest, connectionId: atInviter })
    const asked = await waitFor('the proof request', async () => (await holder.proofs())[0])
    expect(asked.state).toBe(DidCommProofState.RequestReceived)
    expect(await holder.answerProof(asked.id)).toBe(false)

    await offerDegree(inviter, atInviter, holder.did)
    const [held] = await waitFor('the credential', async () => {
      const credentials = await holder.credentials()
      return credentials.length === 1 && credentials
    })
    const credential = held?.firstCredential
    if (!(credential instanceof W3cJsonLdVerifiableCredential)) throw new Error('this is no JSON-LD credential')
    expect(credential.toJson()).toMatchObject({
      issuer: inviter.did,
      credentialSubject: { id: holder.did, degree: 'Bachelor' },
      proof: { type: 'Ed25519Signature2018' },
    })

    const verified = await waitFor('the proof to be done', async () => {
      const record = await inviter.agent.didcomm.proofs.getById(request.id)
      return record.state === DidCommProofState.Done && record
    })
    expect(verified.isVerified).toBe(true)
    await waitFor('the holder to be done', async () => (await holder.proofs())[0]?.state === DidCommProofState.Done)
    expect(
      (await holder.credentialExchanges()).map(({ state, connectionId }) => ({ state, connectionId })),
    ).toStrictEqual([{ state: 'done', connectionId: atHolder }])
    noErrors(inviter, holder)
  })

  test('is presented to a request that comes inside the invitation', async () => {
    const { inviter, holder, atInviter } = await connect()
    await offerDegree(inviter, atInviter, holder.did)
    await waitFor('the credential', async () => (await holder.credentials()).length === 1)
    const { message, proofRecord } = await inviter.agent.didcomm.proofs.createRequest(presentationRequest)
    await holder.connect((await invite(inviter, [message])).url)
    await waitFor('the proof to be done', async () => {
      const { state, isVerified } = await inviter.agent.didcomm.proofs.getById(proofRecord.id)
      return state === DidCommProofState.Done && isVerified
    })
    noErrors(inviter, holder)
  })

  test('that is offered waits where the holder accepts nothing automatically', async () => {
    const { inviter, holder, atInviter } = await connect({}, { acceptOffers: false })
    await offerDegree(inviter, atInviter, holder.did)
    const exchange = await waitFor('the offer', async () => (await holder.credentialExchanges())[0])
    expect(exchange.state).toBe('offer-received')
    expect(await holder.credentials()).toStrictEqual([])
  })
})

describe('an AnonCreds request', () => {
  const anoncreds = {
    name: 'degree',
    version: '1.0',
    requested_attributes: { degree: { name: 'degree' } },
    requested_predicates: { age: { name: 'age', p_type: '>=' as const, p_value: 18 } },
  }

  test.each([
    { protocolVersion: 'v1', proofFormats: { indy: anoncreds } } as const,
    { protocolVersion: 'v2', proofFormats: { indy: anoncreds } } as const,
    { protocolVersion: 'v2', proofFormats: { anoncreds } } as const,
  ])('is understood, and left waiting: %o', async ({ protocolVersion, proofFormats }) => {
    const { inviter, holder, atInviter } = await connect()
    await inviter.agent.didcomm.proofs.requestProof({ connectionId: atInviter, protocolVersion, proofFormats })
    const asked = await waitFor('the proof request', async () => (await holder.proofs())[0])
    const { request } = await holder.proofContents(asked.id)
    for (const format of Object.keys(proofFormats))
      expect(request).toHaveProperty(format, expect.objectContaining(anoncreds))
    expect(await holder.answerProof(asked.id)).toBe(false)
    expect((await holder.proofs())[0]?.state).toBe(DidCommProofState.RequestReceived)
    noErrors(inviter, holder)
  })
})

test('a wallet without an endpoint is answered by return route', async () => {
  const { inviter, holder, atHolder, atInviter } = await connect({}, { endpoint: false })
  await holder.sendMessage(atHolder, 'hello')
  await waitFor('the message', async () => (await inviter.messages(atInviter)).length === 1)
  expect(holder.envelopes).toStrictEqual([])
  noErrors(inviter, holder)
})

test('a paused endpoint refuses connections and resumes at the same address', async () => {
  const { inviter, holder, atHolder, atInviter } = await connect()
  await holder.pause()
  await expect(inviter.sendMessage(atInviter, 'lost')).rejects.toThrow(/undeliverable/)
  await holder.resume()
  await inviter.sendMessage(atInviter, 'found')
  await waitFor('the message', async () => (await holder.messages(atHolder)).length === 1)
  expect((await holder.messages(atHolder)).map(({ content }) => content)).toStrictEqual(['found'])
})

test('an envelope that is delivered three times arrives three times', async () => {
  let times = 1
  const network: Network = (deliver) => (endpoint, envelope, signal) =>
    repeating(times)(deliver)(endpoint, envelope, signal)
  const { inviter, holder, atInviter, atHolder } = await connect({}, { network })
  await waitFor('the end of the handshake', async () =>
    (await inviter.connections()).every(({ state }) => state === DidCommDidExchangeState.Completed),
  )
  const before = inviter.envelopes.length
  times = 3
  await holder.sendMessage(atHolder, 'hello')
  const [envelope, ...copies] = inviter.envelopes.slice(before)
  expect(copies).toStrictEqual([envelope, envelope])
  const posted = holder.posted.filter((delivery) => JSON.stringify(delivery.envelope) === envelope)
  expect(posted.map(({ status }) => status)).toStrictEqual([200, 200, 200])
  await waitFor('all deliveries', async () => (await inviter.messages(atInviter)).length === 3)
  const heard = () => inviter.journal.received.filter(({ type }) => type.endsWith('/basicmessage/1.0/message'))
  await waitFor('the journal to have them', () => heard().length === 3)
  expect(new Set(heard().map(({ id }) => id)).size).toBe(1)
})

test('delivered envelopes can be delivered again', async () => {
  const { inviter, holder, atInviter, atHolder } = await connect()
  await holder.sendMessage(atHolder, 'hello')
  const answers = await holder.repost()
  expect(answers).toHaveLength(holder.posted.length)
  await waitFor('both deliveries', async () => (await inviter.messages(atInviter)).length === 2)
})

test('an altered envelope is rejected, and the sender is notified', async () => {
  const inviter = await start()
  const holder = await start({ network: altering((envelope) => ({ ...envelope, tag: 'AAAAAAAAAAAAAAAAAAAAAA' })) })
  await expect(holder.receive((await invite(inviter)).url)).rejects.toThrow()
  expect(holder.posted.map(({ status }) => status)).toStrictEqual([500])
  expect(inviter.journal.errors).not.toStrictEqual([])
})

test.each(['', 'hello', 'http://127.0.0.1:1/?oob=e30', 'http://127.0.0.1:1/nothing'])(
  'a text that is not an invitation is rejected: "%s"',
  async (url) => {
    const holder = await start()
    await expect(holder.receive(url)).rejects.toThrow()
  },
)
