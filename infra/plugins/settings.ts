/** Serverless plugin: `${setting:NAME}` in a YAML file is a variable of the environment, and an empty one is none. */
import { withoutEmpty } from '../settings.ts'

export default class Settings {
  readonly configurationVariablesSources = {
    setting: {
      resolve: async ({ address }: { address: string }) => ({ value: withoutEmpty(process.env)[address] ?? null }),
    },
  }
}
