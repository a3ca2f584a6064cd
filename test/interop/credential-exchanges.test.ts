/** Credentials between two tenants, by calls alone: one issues, the other holds. */
import { describe, expect, test } from 'vitest'
import { inTenant } from '../support/anoncreds/world.ts'
import { createTenant, offerBody } from '../support/scenes.ts'
import type { Json, OperationName } from '../support/stage/in-process-stage.ts'
import { useStage } from '../support/stage/use-stage.ts'
import { connectTenants, lastMessage, settled } from '../support/tenants.ts'
import { waitFor } from '../wallet/wait.ts'
import { verifies2020 } from './digital-bazaar.ts'

const stage = await useStage()
const issuer = await createTenant(stage, 'Issuer')
const holder = await createTenant(stage, 'Holder')
/** The issuer's connection, and the holder's. */
const connectionId = (await connectTenants(stage, issuer, holder)).connectionId
const { body } = await stage.call('getConnections', { caller: holder })
const holderConnectionId = body[0].id

type Tenant = { tenantId: string }

const as = async (
  caller: Tenant,
  operation: OperationName,
  body: object,
  path: Record<string, string> = {},
): Promise<Json> => {
  const answer = await stage.call(operation, { caller, body, path })
  if (answer.status !== 200) throw new Error(`${operation}: ${answer.status} ${JSON.stringify(answer.body)}`)
  return answer.body
}

const read = async (caller: Tenant, operation: OperationName, path: Record<string, string>): Promise<Json> => {
  const answer = await stage.call(operation, { caller, path })
  if (answer.status !== 200) throw new Error(`${operation}: ${answer.status} ${JSON.stringify(answer.body)}`)
  return answer.body
}

/** Credo makes form data of the messages; they have these parts. */
const expectFormData = async (caller: Tenant, credentialRecordId: string, parts: string[]): Promise<void> => {
  const shown = await read(caller, 'getCredentialFormData', { credentialRecordId })
  const own = await inTenant(caller.tenantId, ({ didcomm }) => didcomm.credentials.getFormatData(credentialRecordId))
  expect(shown).toEqual(JSON.parse(JSON.stringify(own)))
  expect(Object.keys(shown).filter((name) => !name.endsWith('Attributes'))).toEqual(parts)
}

const listed = async (caller: Tenant, query: Record<string, string>): Promise<Json[]> =>
  (await stage.call('getCredentials', { caller, query })).body

/** The exchange of a thread, as soon as it has this state. */
const exchangeIn = (caller: Tenant, threadId: string, state: string): Promise<Json> =>
  waitFor(`the exchange to be ${state}`, async () => (await listed(caller, { threadId, state }))[0])

const SUBJECT = 'did:key:z6MkpTHR8VNsBxYAAWHut2Geadd9jSwuBV8xRoAnwWsdvktH'

/** The DID that the issuer issues with, as its offers name it. */
const ownDid = async (): Promise<string> => {
  const { id } = await as(issuer, 'createOffer', offerBody(connectionId, SUBJECT))
  const { body } = await stage.call('getCredentialFormData', { caller: issuer, path: { credentialRecordId: id } })
  return body.offer.jsonld.credential.issuer
}

/** Makes an offer that the holder receives. Resolves to both exchanges. */
const offered = async (changes: object = {}): Promise<{ sent: Json; received: Json }> => {
  const sent = await as(issuer, 'createOffer', { ...offerBody(connectionId, SUBJECT), ...changes })
  return { sent, received: await exchangeIn(holder, sent.threadId, 'offer-received') }
}

describe('a credential of JSON-LD', () => {
  test('is offered, asked for, issued and stored, each by a call', async () => {
    const { sent, received } = await offered({ autoAcceptCredential: 'never' })
    expect(received).toMatchObject({ role: 'holder', connectionId: holderConnectionId, threadId: sent.threadId })

    const asked = await as(holder, 'acceptCredentialOffer', {
      credentialRecordId: received.id,
      autoAcceptCredential: 'never',
    })
    expect(asked).toMatchObject({ id: received.id, state: 'request-sent', autoAcceptCredential: 'never' })

    await exchangeIn(issuer, sent.threadId, 'request-received')
    const issued = await as(issuer, 'acceptCredentialRequest', { credentialRecordId: sent.id })
    expect(issued).toMatchObject({ id: sent.id, role: 'issuer', state: 'credential-issued' })

    const stored = await exchangeIn(holder, sent.threadId, 'credential-received')
    expect(stored.credentials).toEqual([{ credentialRecordType: 'w3c', credentialRecordId: expect.any(String) }])

    const acknowledged = await as(holder, 'acceptCredential', { credentialRecordId: received.id })
    expect(acknowledged).toMatchObject({ state: 'done' })
    await exchangeIn(issuer, sent.threadId, 'done')

    const [{ credentialRecordId: w3cCredentialRecordId }] = stored.credentials
    const held = await read(holder, 'getW3cCredentialById', { w3cCredentialRecordId })
    expect(held.credentialInstances[0].credential).toMatchObject({
      credentialSubject: { id: SUBJECT, degree: 'Bachelor' },
      proof: { type: 'Ed25519Signature2018' },
    })
    expect((await stage.call('getW3cCredentials', { caller: holder })).body).toEqual([held])
    expect((await stage.call('getW3cCredentials', { caller: issuer })).body).toEqual([])
    const others = await stage.call('getW3cCredentialById', { caller: issuer, path: { w3cCredentialRecordId } })
    expect(others.status).toBe(404)
    await expectFormData(issuer, sent.id, ['offer', 'request', 'credential'])
    await expectFormData(holder, received.id, ['offer', 'request', 'credential'])
  })

  test('is stored automatically once it was requested', async () => {
    const { sent, received } = await offered()
    await as(holder, 'acceptCredentialOffer', { credentialRecordId: received.id })
    expect(await exchangeIn(holder, sent.threadId, 'done')).toMatchObject({ id: received.id })
    await exchangeIn(issuer, sent.threadId, 'done')
  })

  test('is stored where the clock of the issuer is a second ahead', async () => {
    const offer = offerBody(connectionId, SUBJECT)
    const { credential, options } = offer.credentialFormats.jsonld
    const ahead = { ...credential, issuanceDate: new Date(Date.now() + 1_800).toISOString() }
    const { sent, received } = await offered({ credentialFormats: { jsonld: { credential: ahead, options } } })
    await as(holder, 'acceptCredentialOffer', { credentialRecordId: received.id })
    await exchangeIn(holder, sent.threadId, 'done')
  })

  test('that is not yet valid is not stored, and both exchanges say why', async () => {
    const offer = offerBody(connectionId, SUBJECT)
    const { credential, options } = offer.credentialFormats.jsonld
    const later = { credential: { ...credential, issuanceDate: '2099-01-01T00:00:00Z' }, options }
    const { sent, received } = await offered({ credentialFormats: { jsonld: later }, autoAcceptCredential: 'always' })
    await as(holder, 'acceptCredentialOffer', { credentialRecordId: received.id })
    const errorMessage = 'the credential does not verify: it is not valid at this time'
    expect(await exchangeIn(holder, sent.threadId, 'abandoned')).toMatchObject({ errorMessage })
    expect(await exchangeIn(issuer, sent.threadId, 'abandoned')).toMatchObject({
      errorMessage: `issuance-abandoned: ${errorMessage}`,
    })
  })

  test('is declined, and the issuer is notified of the reason', async () => {
    const { sent, received } = await offered()
    const declined = await as(holder, 'declineCredentialOffer', {
      credentialRecordId: received.id,
      problemReportDescription: 'not mine',
    })
    expect(declined).toMatchObject({ id: received.id, state: 'declined' })
    expect((await exchangeIn(issuer, sent.threadId, 'abandoned')).errorMessage).toContain('not mine')
  })

  test('is declined without a report where the holder wants none', async () => {
    const { sent, received } = await offered()
    await as(holder, 'declineCredentialOffer', { credentialRecordId: received.id, sendProblemReport: false })
    // Messages on a connection arrive in order: this one would come after a report.
    await as(holder, 'sendMessage', { content: sent.threadId }, { connectionId: holderConnectionId })
    await waitFor('the message', async () => {
      const path = { ...issuer, connectionId }
      const { body } = await stage.call('tenantGetBasicMessages', { caller: issuer, path })
      return body.some(({ content }: Json) => content === sent.threadId)
    })
    expect(await listed(issuer, { threadId: sent.threadId, state: 'offer-sent' })).toHaveLength(1)
  })
})

describe('a credential with a proof of Ed25519Signature2020', () => {
  const SUITE = 'https://w3id.org/security/suites/ed25519-2020/v1'
  const options = { proofType: 'Ed25519Signature2020' }
  const offerOf2020 = (contexts: string[] = []) => {
    const { credential } = offerBody('', SUBJECT).credentialFormats.jsonld
    const named = { ...credential, '@context': [...credential['@context'], ...contexts] }
    return { credentialFormats: { jsonld: { credential: named, options } } }
  }

  test('is issued by a did:key, stored, and verified by another implementation', async () => {
    const { sent, received } = await offered(offerOf2020())
    await as(holder, 'acceptCredentialOffer', { credentialRecordId: received.id })
    await exchangeIn(holder, sent.threadId, 'done')
    const { credential } = await read(holder, 'getCredentialFormData', { credentialRecordId: received.id })
    expect(credential.jsonld).toMatchObject({
      '@context': expect.arrayContaining([SUITE]),
      proof: { type: 'Ed25519Signature2020', proofPurpose: 'assertionMethod', proofValue: expect.stringMatching(/^z/) },
    })
    const verifies = (json: Json) => inTenant(holder.tenantId, ({ context }) => verifies2020(context, json))
    expect(await verifies(credential.jsonld)).toBe(true)
    const altered = { ...credential.jsonld, credentialSubject: { id: SUBJECT, degree: 'Doctor' } }
    expect(await verifies(altered)).toBe(false)
  })

  test("is signed with the named key, and with no key that is not the issuer's", async () => {
    const { sent, received } = await offered({ ...offerOf2020([SUITE]), autoAcceptCredential: 'never' })
    await as(holder, 'acceptCredentialOffer', { credentialRecordId: received.id })
    await exchangeIn(issuer, sent.threadId, 'request-received')
    const body = (verificationMethod: string) => ({
      credentialRecordId: sent.id,
      credentialFormats: { jsonld: { verificationMethod } },
    })
    const others = `${SUBJECT}#${SUBJECT.slice('did:key:'.length)}`
    expect(await stage.call('acceptCredentialRequest', { caller: issuer, body: body(others) })).toMatchObject({
      status: 422,
      body: { details: [{ path: 'credentialFormats.jsonld.verificationMethod' }] },
    })
    const did = await ownDid()
    const method = `${did}#${did.slice('did:key:'.length)}`
    await as(issuer, 'acceptCredentialRequest', body(method))
    await exchangeIn(holder, sent.threadId, 'done')
    const { credential } = await read(holder, 'getCredentialFormData', { credentialRecordId: received.id })
    expect(credential.jsonld.proof.verificationMethod).toBe(method)
    expect(credential.jsonld['@context'].filter((context: unknown) => context === SUITE)).toHaveLength(1)
  })
})

test.each(['indy', 'anoncreds'])('a credential is not issued in %s where that was not requested', async (format) => {
  const { sent, received } = await offered({ autoAcceptCredential: 'never' })
  await as(holder, 'acceptCredentialOffer', { credentialRecordId: received.id })
  await exchangeIn(issuer, sent.threadId, 'request-received')
  const body = { credentialRecordId: sent.id, credentialFormats: { jsonld: {}, [format]: {} } }
  expect(await stage.call('acceptCredentialRequest', { caller: issuer, body })).toMatchObject({
    status: 422,
    body: { details: [{ path: `credentialFormats.${format}`, message: 'is not requested' }] },
  })
})

describe('a proposal of JSON-LD', () => {
  const jsonldOf = (changes: object = {}) => {
    const { credential, options } = offerBody('', SUBJECT).credentialFormats.jsonld
    return { jsonld: { credential: { ...credential, ...changes }, options } }
  }

  const proposed = async (body: object = {}): Promise<{ sent: Json; received: Json }> => {
    const sent = await as(holder, 'proposeCredential', {
      connectionId: holderConnectionId,
      protocolVersion: 'v2',
      credentialFormats: jsonldOf(),
      comment: 'please',
      ...body,
    })
    return { sent, received: await exchangeIn(issuer, sent.threadId, 'proposal-received') }
  }

  test('is offered unchanged, requested automatically, issued and stored', async () => {
    const issuerDid = await ownDid()
    const { sent, received } = await proposed({ credentialFormats: jsonldOf({ issuer: issuerDid }) })
    expect(sent).toMatchObject({ role: 'holder', state: 'proposal-sent', connectionId: holderConnectionId })
    expect(received).toMatchObject({ role: 'issuer', connectionId })
    const asked = { credentialRecordId: received.id, credentialFormats: {} }
    const offer = await as(issuer, 'acceptCredentialProposal', asked)
    expect(offer).toMatchObject({ id: received.id, state: 'offer-sent' })
    // With `contentApproved` an offer equal to the proposal needs no call.
    expect(await exchangeIn(holder, sent.threadId, 'done')).toMatchObject({ id: sent.id })
    await exchangeIn(issuer, sent.threadId, 'done')
    await expectFormData(holder, sent.id, ['proposal', 'offer', 'request', 'credential'])
  })

  test('is answered by a different offer, which waits', async () => {
    const { sent, received } = await proposed()
    const credentialFormats = jsonldOf({ credentialSubject: { id: SUBJECT, degree: 'Doctor' } })
    await as(issuer, 'acceptCredentialProposal', { credentialRecordId: received.id, credentialFormats })
    expect(await exchangeIn(holder, sent.threadId, 'offer-received')).toMatchObject({ id: sent.id })
    const { offer } = await read(holder, 'getCredentialFormData', { credentialRecordId: sent.id })
    expect(offer.jsonld.credential.credentialSubject.degree).toBe('Doctor')
  })

  test('is offered in the name of the issuer alone', async () => {
    const { received } = await proposed({ credentialFormats: jsonldOf({ issuer: SUBJECT }) })
    const answer = await stage.call('acceptCredentialProposal', {
      caller: issuer,
      body: { credentialRecordId: received.id },
    })
    expect(answer).toMatchObject({
      status: 422,
      body: {
        details: [{ path: 'credentialFormats.jsonld.credential.issuer', message: 'is not a DID of this agent' }],
      },
    })
  })

  test('has the comment and goal of its call, and so has the offer that answers it', async () => {
    const said = { autoAcceptCredential: 'never', comment: 'Hello', goalCode: 'issue', goal: 'A degree' }
    const shown = { comment: 'Hello', goal_code: 'issue', goal: 'A degree' }
    const { sent, received } = await proposed(said)
    expect(await lastMessage(issuer, received.id)).toMatchObject(shown)
    const offer = await as(issuer, 'acceptCredentialProposal', { credentialRecordId: received.id, ...said })
    expect(offer.autoAcceptCredential).toBe('never')
    expect(await exchangeIn(holder, sent.threadId, 'offer-received')).toMatchObject({ autoAcceptCredential: 'never' })
    expect(await lastMessage(holder, sent.id)).toMatchObject(shown)
  })

  test("waits for a call, whatever the issuer's earlier settings", async () => {
    const { received } = await proposed({ autoAcceptCredential: 'always' })
    expect(received.state).toBe('proposal-received')
  })
})

describe('a step', () => {
  test.each<[OperationName, object]>([
    ['acceptCredentialOffer', {}],
    ['declineCredentialOffer', {}],
    ['acceptCredentialRequest', {}],
    ['acceptCredential', {}],
    ['acceptCredentialProposal', {}],
  ])('%s in the wrong state is a 409 that names it, and of an unknown exchange a 404', async (operation, body) => {
    const sent = await as(issuer, 'createOffer', offerBody(connectionId, SUBJECT))
    const taken = await stage.call(operation, { caller: issuer, body: { ...body, credentialRecordId: sent.id } })
    expect(taken).toMatchObject({
      status: 409,
      body: { message: expect.stringContaining('the state of the exchange is offer-sent, as issuer') },
    })
    for (const credentialRecordId of ['unknown', (await exchangeIn(holder, sent.threadId, 'offer-received')).id]) {
      const answer = await stage.call(operation, { caller: issuer, body: { ...body, credentialRecordId } })
      expect(answer.status).toBe(404)
    }
  })

  test('on an abandoned connection is a 409 that says so', async () => {
    const [guest, host] = [await createTenant(stage, 'Guest'), await createTenant(stage, 'Host')]
    const { inviters, invitees } = await connectTenants(stage, host, guest)
    const sent = await as(host, 'createOffer', offerBody(inviters.id, SUBJECT))
    const { id: credentialRecordId } = await exchangeIn(guest, sent.threadId, 'offer-received')
    const accept = () => stage.call('acceptCredentialOffer', { caller: guest, body: { credentialRecordId } })
    await stage.call('deleteConnection', { caller: host, path: { connectionId: inviters.id } })
    await settled(stage)
    const message = 'the connection is not ready: its state is abandoned'
    expect(await accept()).toMatchObject({ status: 409, body: { message } })
    await stage.call('deleteConnection', { caller: guest, path: { connectionId: invitees.id } })
    expect((await accept()).body).toMatchObject({ message: 'the connection was deleted' })
    const decline = (body: object) =>
      stage.call('declineCredentialOffer', { caller: guest, body: { credentialRecordId, ...body } })
    expect(await decline({})).toMatchObject({ status: 409, body: { message: 'the connection was deleted' } })
    expect(await decline({ sendProblemReport: false })).toMatchObject({ status: 200, body: { state: 'declined' } })
  })

  test('for a format that was not offered is a 422, and nothing was requested', async () => {
    const { received } = await offered()
    const body = { credentialRecordId: received.id, credentialFormats: { indy: {} } }
    const answer = await stage.call('acceptCredentialOffer', { caller: holder, body })
    expect(answer).toMatchObject({
      status: 422,
      body: { details: [{ path: 'credentialFormats.indy', message: 'is not offered' }] },
    })
    expect(await exchangeIn(holder, received.threadId, 'offer-received')).toMatchObject({ id: received.id })
  })
})

describe('offers are accepted without a call', () => {
  test("where the tenant's settings say so, and only there", async () => {
    const config = { label: 'Collector', autoAcceptOffers: true }
    const { body: tenant } = await stage.call('createTenant', { body: { config } })
    const collector = { tenantId: tenant.id }
    const toCollector = await connectTenants(stage, issuer, collector)
    const sent = await as(issuer, 'createOffer', offerBody(toCollector.connectionId, SUBJECT))
    expect(await exchangeIn(collector, sent.threadId, 'done')).toMatchObject({ role: 'holder' })
  })
})

describe('an offer in an invitation', () => {
  const { protocolVersion, credentialFormats } = offerBody('', SUBJECT)
  const invited = (body: object = {}): Promise<Json> =>
    as(issuer, 'createOfferOob', { protocolVersion, credentialFormats, ...body })

  test('is received with its new connection, and becomes a credential', async () => {
    const { invitationUrl, credentialRequestThId: threadId } = await invited({ label: 'Issuer' })
    await as(holder, 'receiveInvitationUrl', { invitationUrl })
    const { id } = await exchangeIn(holder, threadId, 'offer-received')
    await as(holder, 'acceptCredentialOffer', { credentialRecordId: id })
    await exchangeIn(holder, threadId, 'done')
    await exchangeIn(issuer, threadId, 'done')
  })

  test('is received without any connection, and becomes a credential', async () => {
    const { invitationUrl, credentialRequestThId: threadId } = await invited({ handshake: false })
    await as(holder, 'receiveInvitationUrl', { invitationUrl })
    const { id, connectionId: none } = await exchangeIn(holder, threadId, 'offer-received')
    expect(none).toBeUndefined()
    await as(holder, 'acceptCredentialOffer', { credentialRecordId: id })
    await exchangeIn(holder, threadId, 'done')
    await exchangeIn(issuer, threadId, 'done')
  })

  test('is received without any connection, and declined', async () => {
    const { invitationUrl, credentialRequestThId: threadId } = await invited({ handshake: false })
    await as(holder, 'receiveInvitationUrl', { invitationUrl })
    const { id } = await exchangeIn(holder, threadId, 'offer-received')
    await as(holder, 'declineCredentialOffer', { credentialRecordId: id })
    await exchangeIn(issuer, threadId, 'abandoned')
  })
})
