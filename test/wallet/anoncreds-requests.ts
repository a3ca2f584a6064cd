/** AnonCreds in the wallet as far as it goes without native code: proof requests are received and understood, not answered. */
import { randomBytes } from 'node:crypto'
import { AnonCredsHolderServiceSymbol, AnonCredsVerifierServiceSymbol } from '@credo-ts/anoncreds'
import { CredoError, type DependencyManager, type Module } from '@credo-ts/core'

const needsNativeLibrary = async (): Promise<never> => {
  throw new CredoError('this wallet has no native AnonCreds library')
}

/** Stands in for `AnonCredsModule`, which asks for that library when it starts. */
export class AnonCredsRequests implements Module {
  register(dependencyManager: DependencyManager): void {
    dependencyManager.registerInstance(AnonCredsHolderServiceSymbol, {
      // 80 bits, in decimal: https://hyperledger.github.io/anoncreds-spec/#constants
      generateNonce: () => BigInt(`0x${randomBytes(10).toString('hex')}`).toString(),
      getCredentialsForProofRequest: async () => [],
      createProof: needsNativeLibrary,
    })
    dependencyManager.registerInstance(AnonCredsVerifierServiceSymbol, { verifyProof: needsNativeLibrary })
  }
}
