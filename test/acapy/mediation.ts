/** Puts a wallet behind a mediator (Aries RFC 0211), both of them ACA-Py. */
import { waitFor } from '../wallet/wait.ts'
import type { AcaPy } from './acapy.ts'

/** From now on the wallet's endpoint is the mediator. */
export const mediate = async (wallet: AcaPy, mediator: AcaPy): Promise<void> => {
  const { invitation } = await mediator.post('/out-of-band/create-invitation?auto_accept=true', {
    handshake_protocols: ['https://didcomm.org/didexchange/1.1'],
  })
  const { connection_id: connectionId } = await wallet.post(
    '/out-of-band/receive-invitation?auto_accept=true',
    invitation,
  )
  await wallet.recordIn(`/connections/${connectionId}`, 'completed')
  const { mediation_id: mediationId } = await wallet.post(`/mediation/request/${connectionId}`)
  await waitFor('the mediation to be granted', async () => {
    const { state } = await wallet.get(`/mediation/requests/${mediationId}`)
    return state === 'granted'
  })
  await wallet.put(`/mediation/${mediationId}/default-mediator`)
}
