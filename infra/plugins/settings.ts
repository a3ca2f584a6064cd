/** Serverless plugin: `${setting:NAME}` in a YAML file is a variable of the environment; an empty one is as good as none. */

export default class Settings {
  readonly configurationVariablesSources = {
    setting: {
      resolve: async ({ address }: { address: string }) => ({ value: process.env[address] || null }),
    },
  }
}
