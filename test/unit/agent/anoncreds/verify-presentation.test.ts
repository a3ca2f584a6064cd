/** AnonCreds presentations, verified by the library and by what it leaves to the verifier. */
import { describe, expect, test } from 'vitest'
import { libraryVerifies, newNonce } from '../../../support/anoncreds/bare-library.ts'
import { memoryVerifier } from '../../../support/anoncreds/memory-verifier.ts'
import { type Asked, ATTACKS, HONEST, PUBLISHED_BY_ALL } from '../../../support/anoncreds/presentation-attacks.ts'

const requestOf = (asked: Asked) => ({
  name: 'p',
  version: '1.0',
  nonce: newNonce(),
  requested_attributes: {},
  requested_predicates: {},
  ...asked,
})

describe('verifies', () => {
  test.each(HONEST)('$name', async ({ asked, answer }) => {
    const request = requestOf(asked)
    expect(await memoryVerifier(PUBLISHED_BY_ALL).verdictOn(request, answer(request))).toBe('verified')
  })
})

describe('refuses', () => {
  test.each(ATTACKS)('$name', async ({ asked, answer, says }) => {
    const request = requestOf(asked)
    expect(await memoryVerifier(PUBLISHED_BY_ALL).verdictOn(request, answer(request))).toBe(says)
  })
})

describe('the library alone', () => {
  const verdict = ({ asked, answer }: (typeof ATTACKS)[number]) => {
    const request = requestOf(asked)
    return libraryVerifies(request, answer(request), PUBLISHED_BY_ALL)
  }

  test.each(ATTACKS.filter(({ passesLibrary }) => passesLibrary))('verifies $name', (attack) => {
    expect(verdict(attack)).toBe(true)
  })

  test.each(ATTACKS.filter(({ passesLibrary }) => !passesLibrary))('refuses $name', (attack) => {
    expect(verdict(attack)).toBe(false)
  })
})
