/** Invitations in URLs. */
import { expect, test } from 'vitest'
import { invitationAt } from '../../../../lib/agent/invitations/invitation-address.ts'

const invitation = {
  '@type': 'https://didcomm.org/out-of-band/1.1/invitation',
  '@id': 'invitation-1',
  label: '~~~~~~???',
  services: ['did:peer:2.service'],
}
const encoded = (encoding: 'base64' | 'base64url') => Buffer.from(JSON.stringify(invitation)).toString(encoding)

test('one is read in either form of base64, the older of which has a plus', async () => {
  expect(encoded('base64')).toContain('+')
  for (const encoding of ['base64', 'base64url'] as const)
    expect(await invitationAt(`https://inviter.example/?a=b&oob=${encoded(encoding)}#c`)).toMatchObject(invitation)
})
