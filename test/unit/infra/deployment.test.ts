/** What is deployed, as `serverless package` makes it of serverless.yml: tests in files of their own, on one package. */
import './deployment/access.ts'
import './deployment/alarms.ts'
import './deployment/dashboard.ts'
import './deployment/gateway-responses.ts'
import './deployment/log-group.ts'
import './deployment/node-options.ts'
import './deployment/queues-and-stream.ts'
import './deployment/routes.ts'
