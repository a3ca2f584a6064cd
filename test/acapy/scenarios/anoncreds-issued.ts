/** AnonCreds that we issue, over did:webvh and by an Indy ledger's ids, and verify. */
import assert from 'node:assert/strict'
import { offer, offerOf, PERSON } from '../anoncreds-offers.ts'
import { type Asked, ask, assertVerified, nameAndAge, proofOf } from '../anoncreds-proofs.ts'
import { chosenOf, type Exchange, INDY, LEDGER, taken, WEBVH } from '../anoncreds-scenario.ts'
import { invitationOf, receive } from '../connect.ts'
import { type Scenario, scenario } from '../scenario.ts'

/** Takes a credential of ours, and presents it to a verifier who asks for a revealed attribute and a predicate. */
const issuedAndVerified =
  (exchange: Exchange): Scenario['play'] =>
  async (scene) => {
    const { definition, ours, credentialId } = await taken(scene, exchange)
    assert.deepEqual(ours.metadata['_internal/indyCredential'], {
      schemaId: definition.schemaId,
      credentialDefinitionId: definition.credentialDefinitionId,
    })
    assert.deepEqual(
      Object.fromEntries(ours.credentialAttributes.map(({ name, value }: Record<string, string>) => [name, value])),
      PERSON,
    )
    const { protocolVersion = 'v2', format } = exchange
    const asked: Asked = {
      ...{ format, protocolVersion, ...nameAndAge(definition) },
      ...(exchange.withoutConnection && { withoutConnection: true }),
    }
    const proof = await proofOf(scene, asked, chosenOf(credentialId))
    assertVerified(proof)
    const claims = proof.presentedAttributes[asked.format]
    assert.deepEqual(
      [claims.revealed.map(({ name, value }: Record<string, string>) => [name, value]), claims.predicates.length],
      [[['name', 'Alice']], 1],
    )
  }

const ISSUER_AND_VERIFIER = { ...LEDGER, role: 'issuer, verifier' } as const
const BY_WEBVH = { ...ISSUER_AND_VERIFIER, protocol: WEBVH, versions: ['1.7.0'] } as const
const BY_INDY = { ...ISSUER_AND_VERIFIER, protocol: INDY }
const OLD_INDY = { ...BY_INDY, versions: ['1.2.7'] } as const

const webvh = (more: Partial<Exchange> = {}) => issuedAndVerified({ of: 'webvh', format: 'anoncreds', ...more })
const indy = (more: Partial<Exchange> = {}) => issuedAndVerified({ of: 'indy', format: 'indy', ...more })

export const ANONCREDS_ISSUED: Scenario[] = [
  scenario(
    BY_WEBVH,
    'anoncreds-webvh',
    'takes a credential on a connection, and presents an attribute and a predicate',
    webvh(),
  ),
  scenario(
    BY_WEBVH,
    'anoncreds-webvh-oob',
    'takes a credential out of an invitation, and presents it',
    webvh({ outOfBand: true }),
  ),
  scenario(BY_INDY, 'indy-2-issued', 'takes a credential on a connection, and presents it', indy()),
  scenario(
    BY_INDY,
    'indy-2-issued-oob',
    'takes a credential out of an invitation, and presents it',
    indy({ outOfBand: true }),
  ),
  scenario(
    OLD_INDY,
    'indy-1-issued',
    'takes a credential by Issue Credential 1.0, and presents it by Present Proof 1.0',
    indy({ protocolVersion: 'v1' }),
  ),
  scenario(
    BY_WEBVH,
    'anoncreds-without-connection',
    'takes a credential without a connection, and presents it so',
    webvh({ outOfBand: true, withoutConnection: true }),
  ),
  scenario(
    { ...OLD_INDY, wallet: 'anoncreds' },
    'indy-2-anoncreds-wallet',
    'labels its answers as those of AnonCreds; we take them for what was asked',
    indy(),
  ),
  scenario(
    { protocol: 'AnonCreds', role: 'issuer, verifier', wallet: 'automatic' },
    'anoncreds-automatic',
    'does everything by itself: takes a credential, and presents it when asked',
    async (scene) => {
      const { acapy, agent } = scene
      const issuer = await scene.issuer()
      const [definition, format] =
        acapy.version === '1.7.0' ? ([issuer.webvh, 'anoncreds'] as const) : ([issuer.indy, 'indy'] as const)
      const made = await offer(issuer.agent, '/credentials/create-offer-oob', offerOf(definition, { format }))
      await receive(acapy, invitationOf(made))
      await issuer.agent.credentialIn({ id: made.credentialRecordId }, 'done')
      const request = await ask(scene, { format, ...nameAndAge(definition) })
      assertVerified(await agent.proofIn(request, 'done', 'abandoned'))
    },
  ),
  scenario(
    { ...BY_WEBVH, role: 'verifier', repeated: true },
    'anoncreds-repeated',
    'delivers its presentation three times; it is verified once',
    webvh({ outOfBand: true }),
  ),
]
