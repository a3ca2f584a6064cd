/** Invitations of other agents. */
import { expect, test } from 'vitest'
import { readInvitation } from '../../../../lib/agent/invitations/read-invitation.ts'

const invitation = {
  '@type': 'https://didcomm.org/out-of-band/1.1/invitation',
  '@id': 'invitation-1',
  services: ['did:peer:2.service'],
}
const read = (more: object) => readInvitation({ ...invitation, ...more }, 'invitation').invitation

test.each([
  ['https://inviter.example/image.png', 'https://inviter.example/image.png'],
  ['http://localhost/image.png', undefined],
  ['data:image/png;base64,AAAA', undefined],
])('an image at %s is %s', (imageUrl, shown) => {
  expect(read({ imageUrl }).imageUrl).toBe(shown)
})

test('an inviter that names profiles names one that this agent has; a list without any says nothing', () => {
  expect(read({ accept: [] }).id).toBe('invitation-1')
  expect(read({ accept: ['didcomm/v2', 'didcomm/aip1'] }).accept).toEqual(['didcomm/v2', 'didcomm/aip1'])
  expect(() => read({ accept: ['didcomm/v2'] })).toThrow('request')
})
