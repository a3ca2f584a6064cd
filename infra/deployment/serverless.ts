/** Types of the Serverless Framework's objects that only the plugins of a deployment use. */
import type { STSClientConfig } from '@aws-sdk/client-sts'
import type { AwsProvider, Serverless } from '../service.ts'

/** Configuration for the clients of the AWS SDK. */
export type ClientConfig = Pick<STSClientConfig, 'credentials' | 'endpoint'> & { region: string }

export interface DeployingServerless extends Serverless {
  pluginManager: { spawn(command: string): Promise<void> }
  getProvider(name: 'aws'): AwsProvider & {
    getAwsSdkV3Config(): Promise<ClientConfig>
  }
}
