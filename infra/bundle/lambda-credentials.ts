/**
 * An esbuild plugin: the AWS SDK takes its credentials from the environment and nowhere else, which is where Lambda puts them. The chain
 * through profiles, SSO, web identity and metadata servers is a third of a reading function's bundle and 10 ms of its start.
 * https://docs.aws.amazon.com/lambda/latest/dg/configuration-envvars.html#configuration-envvars-runtime
 */
import type { Plugin } from 'esbuild'

export const lambdaCredentials: Plugin = {
  name: 'lambda-credentials',
  setup(build) {
    build.onLoad({ filter: /[\\/]@aws-sdk[\\/]credential-provider-node[\\/]dist-(es|cjs)[\\/]index\.js$/ }, () => ({
      contents: "export { fromEnv as defaultProvider } from '@aws-sdk/credential-provider-env'",
      loader: 'js',
    }))
  },
}
