/** To which role a message of an exchange is addressed: the thread guard rejects it for the other one. Which exchanges are finished. */
import { DidCommCredentialState, DidCommProofState } from '@credo-ts/didcomm'
import { describe, expect, test } from 'vitest'
import { isFinished, recipientRole } from '../../../../lib/agent/threads/index.ts'

describe.each([
  ['present-proof', ['propose-presentation', 'presentation'], 'verifier'],
  ['present-proof', ['request-presentation', 'ack'], 'prover'],
  ['issue-credential', ['propose-credential', 'request-credential', 'ack'], 'issuer'],
  ['issue-credential', ['offer-credential', 'issue-credential'], 'holder'],
] as const)('in %s', (protocol, names, role) => {
  test.each(names)(`%s is for the ${role}`, (name) => {
    expect(recipientRole(protocol, name)).toBe(role)
  })
})

test.each(['problem-report', 'constructor', '__proto__'])('%s is for either', (name) => {
  expect(recipientRole('present-proof', name)).toBeUndefined()
})

test.each([DidCommProofState, DidCommCredentialState])('an exchange is finished in these states only: %#', (states) => {
  const finished = Object.values(states).filter((state) => isFinished(Object({ state })))
  expect(finished.toSorted()).toEqual(['abandoned', 'declined', 'done'])
})
