/** AnonCreds that are revoked: ours, over did:webvh and on an Indy ledger, and those of an ACA-Py. */
import { waitFor } from '../../wallet/wait.ts'
import type { Format } from '../anoncreds-offers.ts'
import { revoke } from '../anoncreds-offers.ts'
import { assertRefused, assertVerified, nameAndAge, proofOf, secondThatIsOver } from '../anoncreds-proofs.ts'
import { chosenOf, type Exchange, INDY, LEDGER, taken, WEBVH } from '../anoncreds-scenario.ts'
import { VERSIONS, type Version } from '../install.ts'
import { type Scenario, scenario } from '../scenario.ts'
import { type Held, issueBy } from '../wallet-issuer.ts'

/** Credentials of one registry: one of them is revoked, and the wallet hears of it. */
const revoked =
  (exchange: Exchange): Scenario['play'] =>
  async (scene) => {
    const { acapy } = scene
    const held = await taken(scene, exchange)
    const other = await taken(scene, exchange)
    const { format, protocolVersion = 'v2' } = exchange
    const present = (to: number, { credentialId } = held) =>
      proofOf(
        scene,
        { format, protocolVersion, ...nameAndAge(held.definition), nonRevoked: { to } },
        chosenOf(credentialId),
      )
    const before = await secondThatIsOver()
    assertVerified(await present(before))
    await revoke(scene, held)
    const { credentialRevocationId, revocationRegistryId } = held.ours.metadata['_anoncreds/credential']
    await waitFor('the wallet to hear of the revocation', async () => {
      const notifications = await acapy.heard('revocation_notification/2.0/revoke', held.walletConnectionId)
      return notifications.some(({ credential_id: id }) => id === `${revocationRegistryId}::${credentialRevocationId}`)
    })
    assertRefused(await present(await secondThatIsOver()), /not valid/)
    assertVerified(await present(before))
    assertVerified(await present(await secondThatIsOver(), other))
  }

const protocolsOf = ({ of, protocolVersion }: Exchange): string => {
  const older = protocolVersion === 'v1' ? ['Issue Credential 1.0'] : []
  return [of === 'webvh' ? WEBVH : INDY, ...older, 'Revocation Notification 2.0'].join('; ')
}

const revoking = (name: string, versions: readonly Version[], exchange: Exchange): Scenario =>
  scenario(
    { ...LEDGER, versions, protocol: protocolsOf(exchange), role: 'issuer, verifier' },
    name,
    'presents a credential that is not revoked; hears that it is revoked; presents it again, and is not verified',
    revoked(exchange),
  )

/** Another agent's credential, by unqualified ids: presented in either format, revoked, and presented again. */
const issuedByWallet: Scenario['play'] = async (scene) => {
  const issuer = await scene.walletIssuer()
  const revoked = await issueBy(issuer, scene.acapy)
  const other = await issueBy(issuer, scene.acapy)
  const present = (format: Format, to: number, { credentialId }: Held) =>
    proofOf(scene, { format, ...nameAndAge(issuer.definition), nonRevoked: { to } }, chosenOf(credentialId))
  const before = await secondThatIsOver()
  assertVerified(await present('indy', before, revoked))
  await revoked.revoke()
  for (const format of ['indy', 'anoncreds'] as const) {
    assertRefused(await present(format, await secondThatIsOver(), revoked), /not valid/)
    assertVerified(await present(format, await secondThatIsOver(), other))
  }
  assertVerified(await present('anoncreds', before, revoked))
}

export const ANONCREDS_REVOKED: Scenario[] = [
  revoking('anoncreds-revoked', ['1.7.0'], { of: 'webvh', format: 'anoncreds' }),
  revoking('indy-2-revoked', VERSIONS, { of: 'indy', format: 'indy' }),
  revoking('indy-1-revoked', ['1.2.7'], { of: 'indy', format: 'indy', protocolVersion: 'v1' }),
  scenario(
    { ...LEDGER, versions: ['1.7.0'], protocol: INDY, role: 'verifier' },
    'indy-issued-by-another',
    'presents what an ACA-Py has issued, is revoked, and presents it again',
    issuedByWallet,
  ),
]
