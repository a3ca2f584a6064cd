/** Example calls on invitations. */
import { publicDidOf } from '../../wallet/public-did.ts'
import type { CallScene, Examples } from './call-scene.ts'

/** An invitation of another agent, which may be taken once. */
const othersInvitation = async (scene: CallScene) => {
  const { outOfBandInvitation } = await scene.wallet.agent.didcomm.oob.createInvitation({ label: 'Another' })
  return outOfBandInvitation
}

/** An invitation that waits to be accepted. */
const unacceptedInvitation = async (scene: CallScene): Promise<string> => {
  const invitation = (await othersInvitation(scene)).toJSON()
  const body = { invitation, autoAcceptInvitation: false }
  return (await scene.done('ReceiveInvitation', { body })).outOfBandRecord.id
}

export const outOfBand: Examples = {
  CreateInvitation: async () => ({
    asked: { body: { label: 'Acme', multiUseInvitation: true, imageUrl: 'https://example.org/logo.png' } },
    other: { body: { label: 'Another', goal: 'To talk', goalCode: 'talk', alias: 'a' } },
  }),
  CreateLegacyInvitation: async () => ({
    asked: { body: { label: 'Acme' } },
    other: { body: { multiUseInvitation: true, autoAcceptConnection: false } },
  }),
  ReceiveInvitation: async (scene) => ({
    asked: { body: { invitation: (await othersInvitation(scene)).toJSON(), alias: 'Another' } },
    other: { body: { invitation: (await othersInvitation(scene)).toJSON() } },
  }),
  ReceiveInvitationUrl: async (scene) => {
    const body = async () => ({
      invitationUrl: (await othersInvitation(scene)).toUrl({ domain: 'https://example.org' }),
    })
    return { asked: { body: await body() }, other: { body: await body() } }
  },
  AcceptInvitation: async (scene) => ({
    asked: { path: { outOfBandId: await unacceptedInvitation(scene) }, body: { label: 'Acme' } },
    other: { path: { outOfBandId: 'no-such-record' }, body: {} },
  }),
  ReceiveImplicitInvitation: async (scene) => ({
    asked: { body: { did: await publicDidOf(scene.wallet), alias: 'Another' } },
    other: { body: { did: await publicDidOf(scene.wallet) } },
  }),
  GetOutOfBandRecords: async () => ({ asked: { query: { limit: '10' } }, other: { query: { invitationId: 'none' } } }),
}
