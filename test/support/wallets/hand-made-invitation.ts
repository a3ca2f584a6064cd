/** An invitation (Aries RFC 0434) of an agent that does not exist: its key is the test's, and no answer to it arrives. */
import { randomUUID } from 'node:crypto'
import { DidKey, type Kms } from '@credo-ts/core'
import type { Json } from '../stage/in-process-stage.ts'

/** `more`: further members, such as `handshake_protocols`, or attached requests. */
export const handMadeInvitation = (key: Kms.PublicJwk, label: string, more: Json): Json => ({
  ...{ '@type': 'https://didcomm.org/out-of-band/1.1/invitation', '@id': randomUUID(), label },
  services: [
    {
      ...{ id: '#inline', type: 'did-communication', serviceEndpoint: 'http://127.0.0.1:9999' },
      recipientKeys: [new DidKey(key).did],
    },
  ],
  ...more,
})
