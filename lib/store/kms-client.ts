/** The KMS client of this process. A separate module, because it is loaded only when a data key is not in memory. */
import { KMSClient } from '@aws-sdk/client-kms'

export { DecryptCommand, DescribeKeyCommand, GenerateDataKeyCommand } from '@aws-sdk/client-kms'

let client: KMSClient | undefined

export const kms = (): KMSClient => {
  client ??= new KMSClient({
    maxAttempts: 3,
    requestHandler: {
      connectionTimeout: 1_000,
      requestTimeout: 2_000,
      socketTimeout: 2_000,
      throwOnRequestTimeout: true,
    },
  })
  return client
}
