/**
 * Envelopes that ACA-Py 1.7.0 has packed (`pack_message` of `acapy_agent.askar.didcomm.v1`), of keys whose seeds are the bytes 0 to 31
 * (recipient), 32 to 63 (sender) and 64 to 95 (the other recipient of the first envelope).
 */

/** The recipient's private key. */
export const recipientJwk = {
  kty: 'OKP',
  crv: 'Ed25519',
  x: 'A6EHv_POEL4dcN0Y50vAmWfk1jCbpQ1fHdyGZBJVMbg',
  d: 'AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8',
} as const

/** Its public half in base58, and the sender's. */
export const recipient = 'FAe4sisG95oZ42w7buUn5qEE4TAnfTTFPiguZUHmhiF'
export const sender = '3ogUn1GNXoASaRbxPNeVJnVv5rG4EPBtmQmX61jVorUe'

export const message = {
  '@type': 'https://didcomm.org/basicmessage/1.0/message',
  '@id': 'an-id',
  content: 'from ACA-Py',
}

export const authcrypt = {
  protected:
    'eyJlbmMiOiAieGNoYWNoYTIwcG9seTEzMDVfaWV0ZiIsICJ0eXAiOiAiSldNLzEuMCIsICJhbGciOiAiQXV0aGNyeXB0IiwgInJlY2lwaWVudHMiOiBbeyJlbmNyeXB0ZWRfa2V5IjogInA5U1JaamtQTVhpdHdZTWhobGJfbURWRUhjZWl3S3BEYXJXVFdaUlAyMmR0SU9qR3FqZWUzeEEydEVDTkFYM3ciLCAiaGVhZGVyIjogeyJraWQiOiAiM1dUeXBvMnVZcndNSEo1eUZGd1VQWDZUMjVuMzlQd053a2U3cHoyMlA0VXQiLCAic2VuZGVyIjogIml0YlNGZnlXQV9sSVhaZkpZbmxSelFXdWI2Z3BjNjhOUUJnZG1oa3I4eUtUX0VfbDhsZnNDc0tvSkkwRURtaGhKS2szY3VWSmN0WFUxUjJSTko2ZGhLSXM4aFhNSmctV2NmMHRFcHVfWFlkSk9KMG1uQ3ljTzFMdU92cyIsICJpdiI6ICJieXJiOWROb3l0bGg4NHBpeHpvRlpNbl9Td0VNaGxIOSJ9fSwgeyJlbmNyeXB0ZWRfa2V5IjogIkxPSGhBSGxIVWJiU3I1M0wtZVkydVl6dkZXdi14T3o4VDZCMDNtZ3B5MG1GOUk4WUVHRkl6NGVWMWR0SnU0N2siLCAiaGVhZGVyIjogeyJraWQiOiAiRkFlNHNpc0c5NW9aNDJ3N2J1VW41cUVFNFRBbmZUVEZQaWd1WlVIbWhpRiIsICJzZW5kZXIiOiAiTkpfaThYV3RuU1RWYVdMTk56MDl6RjFOYjlMdllFS0d2SVZfNHJvQS1VT25id2xxdFZYc0FrYkRDeHV4SWJuNmJ3cTNiXzYzMEhoVUpiM1RZay1GTFY4RU8tbmh4WGhDdk1CWFcySXA4eGxCNjNoS3ZETmEtZHVzVjBrIiwgIml2IjogInhZSmxMWHVYVlFLc2cxbkM5N0U3Qmg4S3RZTnVJTFVrIn19XX0',
  iv: 'Y-5UgBnGdY99tSrr',
  ciphertext:
    '7rDeeDpmKR--M-3zKY4cHxWiiYwxo-4qYerXaC9k8Q8fkAgfvRd4cHsVScy1bMEbRdw5Pmq5nFpN-EIvfOJA-jgbYaOnSYfgiBPzpOb3VjdG-mDxao3FxgDou1JEwzKJbA54',
  tag: '9Aq2USvuw6dW-90hSM0UXQ',
}

export const anoncrypt = {
  protected:
    'eyJlbmMiOiAieGNoYWNoYTIwcG9seTEzMDVfaWV0ZiIsICJ0eXAiOiAiSldNLzEuMCIsICJhbGciOiAiQW5vbmNyeXB0IiwgInJlY2lwaWVudHMiOiBbeyJlbmNyeXB0ZWRfa2V5IjogIkNnTXg1V2tCc3dCV2FiZ2JsWTAtUGVJQ3F4YVpHcGh1d0J0eFpFdENaeVQ0NldPRkg2ZUpKSVdLRlBtbExrejl6NWFpOFpCcDRPZjFrU3N3UENBNWNvbm9NeExHZlREeWUxVV94S3JVdWhNIiwgImhlYWRlciI6IHsia2lkIjogIkZBZTRzaXNHOTVvWjQydzdidVVuNXFFRTRUQW5mVFRGUGlndVpVSG1oaUYifX1dfQ',
  iv: 'VmKRfiqKrHQbZ2SK',
  ciphertext:
    'k69vHh-iN8E_EYZl5S0hvwvJM3w4YIIWmHwXu4PJ5ZW4p1aHp195A6pQnsfY355XAKQk9IlSrMpyXX6m0j_7-Yr9cad1R-GGkXLGKrqL3fJjldWkuvMb3XTnHcgqZg51cC2c',
  tag: 'Onw-jCOERIBOXII6NLVWFQ',
}
