/** AnonCreds that we issue, over did:webvh and by an Indy ledger's ids, and verify. */
import assert from 'node:assert/strict'
import { offer, offerOf, PERSON } from '../anoncreds-offers.ts'
import { type Asked, ask, assertVerified, nameAndAge, proofOf } from '../anoncreds-proofs.ts'
import { BOTH, chosenOf, type Exchange, INDY, LEDGER, taken, WEBVH } from '../anoncreds-scenario.ts'
import { invitationOf, receive } from '../connect.ts'
import type { Version } from '../install.ts'
import type { Scenario } from '../scenario.ts'

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

const issuing = (
  name: string,
  title: string,
  versions: readonly Version[],
  exchange: Exchange,
  more: Partial<Scenario> = {},
): Scenario => ({
  ...LEDGER,
  name,
  title,
  versions,
  protocol: exchange.of === 'webvh' ? WEBVH : INDY,
  role: 'issuer, verifier',
  play: issuedAndVerified(exchange),
  ...more,
})

export const ANONCREDS_ISSUED: Scenario[] = [
  issuing(
    'anoncreds-webvh',
    'takes a credential on a connection, and presents an attribute and a predicate',
    ['1.7.0'],
    {
      of: 'webvh',
      format: 'anoncreds',
    },
  ),
  issuing('anoncreds-webvh-oob', 'takes a credential out of an invitation, and presents it', ['1.7.0'], {
    of: 'webvh',
    format: 'anoncreds',
    outOfBand: true,
  }),
  issuing('indy-2-issued', 'takes a credential on a connection, and presents it', BOTH, { of: 'indy', format: 'indy' }),
  issuing('indy-2-issued-oob', 'takes a credential out of an invitation, and presents it', BOTH, {
    of: 'indy',
    format: 'indy',
    outOfBand: true,
  }),
  issuing(
    'indy-1-issued',
    'takes a credential by Issue Credential 1.0, and presents it by Present Proof 1.0',
    ['1.2.7'],
    {
      of: 'indy',
      format: 'indy',
      protocolVersion: 'v1',
    },
  ),
  issuing('anoncreds-without-connection', 'takes a credential without a connection, and presents it so', ['1.7.0'], {
    of: 'webvh',
    format: 'anoncreds',
    outOfBand: true,
    withoutConnection: true,
  }),
  issuing(
    'indy-2-anoncreds-wallet',
    'labels its answers as those of AnonCreds; we take them for what was asked',
    ['1.2.7'],
    { of: 'indy', format: 'indy' },
    { wallet: 'anoncreds' },
  ),
  {
    name: 'anoncreds-automatic',
    title: 'does everything by itself: takes a credential, and presents it when asked',
    versions: BOTH,
    wallet: 'automatic',
    protocol: 'AnonCreds',
    role: 'issuer, verifier',
    play: async (scene) => {
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
  },
  {
    ...LEDGER,
    name: 'anoncreds-repeated',
    title: 'delivers its presentation three times; it is verified once',
    versions: ['1.7.0'],
    protocol: WEBVH,
    role: 'verifier',
    repeated: true,
    play: issuedAndVerified({ of: 'webvh', format: 'anoncreds', outOfBand: true }),
  },
]
