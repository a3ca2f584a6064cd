/** Serverless plugin: `${setting:NAME}` in a YAML file is an environment variable; an empty one counts as not set. */
import { withoutEmpty } from '../settings.ts'

export default class Settings {
  readonly configurationVariablesSources = {
    setting: {
      resolve: async ({ address }: { address: string }) => ({ value: withoutEmpty(process.env)[address] ?? null }),
    },
  }
}
