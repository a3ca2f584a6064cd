/** Which format a wallet's request is of, by what was offered. */
import { expect, test } from 'vitest'
import { requestFormats } from '../../../../lib/agent/formats/anoncreds/index.ts'

const INDY = { attachmentId: '1', format: 'hlindy/cred-abstract@v2.0' }
const ANONCREDS = { attachmentId: '2', format: 'anoncreds/credential-offer@v1.0' }
const REQUESTED = { attachmentId: '3', format: 'anoncreds/credential-request@v1.0' }

test('a request labelled anoncreds is of indy where that alone was offered, and of anoncreds where both were', () => {
  expect(requestFormats([INDY], [REQUESTED])).toMatchObject([{ attachmentId: '3', format: 'hlindy/cred-req@v2.0' }])
  expect(requestFormats([INDY, ANONCREDS], [REQUESTED])).toEqual([REQUESTED])
  expect(requestFormats([ANONCREDS], [REQUESTED])).toEqual([REQUESTED])
})
