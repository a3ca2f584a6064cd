/** The service as it is packaged: once for all tests of the deployment, since that takes seconds. */
import { packageService } from '../../../support/stage/template.ts'

/** The region with the longest name: names of roles are made with it, and IAM takes 64 characters. */
export const REGION = 'ap-southeast-1'

export const { functions, resources, timeout: defaultTimeout } = await packageService({}, '--region', REGION)
