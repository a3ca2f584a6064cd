/** AnonCreds presentations, verified by the library and by what it leaves to the verifier. */
import { expect, test } from 'vitest'
import { verifyPresentation } from '../../../../lib/agent/formats/anoncreds/verify-presentation.ts'
import { AgentError } from '../../../../lib/errors.ts'
import { libraryVerifies, newNonce } from '../../../support/anoncreds/bare-library.ts'
import { type Asked, publishedByAll } from '../../../support/anoncreds/holder.ts'
import { HONEST } from '../../../support/anoncreds/honest-presentations.ts'
import { describeWithLibrary } from '../../../support/anoncreds/library.ts'
import { memoryVerifier } from '../../../support/anoncreds/memory-verifier.ts'
import { ATTACKS } from '../../../support/anoncreds/presentation-attacks.ts'

const requestOf = (asked: Asked) => ({
  name: 'p',
  version: '1.0',
  nonce: newNonce(),
  requested_attributes: {},
  requested_predicates: {},
  ...asked,
})

describeWithLibrary('verifies', () => {
  test.each(HONEST)('$name', async ({ asked, answer }) => {
    const request = requestOf(asked)
    expect(await memoryVerifier(publishedByAll()).verdictOn(request, answer(request))).toBe('verified')
  })
})

describeWithLibrary('refuses', () => {
  test.each(ATTACKS)('$name', async ({ asked, answer, says }) => {
    const request = requestOf(asked)
    expect(await memoryVerifier(publishedByAll()).verdictOn(request, answer(request))).toBe(says)
  })
})

describeWithLibrary('the library alone', () => {
  const verdict = ({ asked, answer }: (typeof ATTACKS)[number]) => {
    const request = requestOf(asked)
    return libraryVerifies(request, answer(request), publishedByAll())
  }

  test.each(ATTACKS.filter(({ passesLibrary }) => passesLibrary))('verifies $name', (attack) => {
    expect(verdict(attack)).toBe(true)
  })

  test.each(ATTACKS.filter(({ passesLibrary }) => !passesLibrary))('refuses $name', (attack) => {
    expect(verdict(attack)).toBe(false)
  })
})

describeWithLibrary('a verifier', () => {
  test('a failure to load the library does not reject a presentation', async () => {
    const [honest] = HONEST
    const request = requestOf(honest?.asked ?? {})
    const failure = new AgentError('anoncreds.unavailable', 'the library cannot be loaded')
    const { verifier } = memoryVerifier(publishedByAll())
    const verify = () => Promise.reject(failure)
    const verifying = verifyPresentation(request, honest?.answer(request), { ...verifier, verify })
    await expect(verifying).rejects.toBe(failure)
  })
})
