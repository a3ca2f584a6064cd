"""API Gateway for the emulated AWS: an API that is one OpenAPI document, and its stage, which moto's CloudFormation leaves out.

- `Body` of a RestApi is imported: paths and methods (by moto itself), authorizers, API keys' methods, gateway responses.
- An update of a RestApi imports the document again, as `Mode` says, and keeps its id.
- A Stage shows its deployment, and another one after an update.

Import it before moto's server starts. moto 5.2.2: moto/apigateway/models.py
"""

from moto.apigateway import models
from moto.core.common_models import CloudFormationModel

GATEWAY_RESPONSES = "x-amazon-apigateway-gateway-responses"
INTEGRATION = "x-amazon-apigateway-integration"
AUTHORIZER = "x-amazon-apigateway-authorizer"
METHODS = ("get", "put", "post", "delete", "options", "head", "patch", "trace")


def importable(document):
    """moto asks every integration for an address, also one that has none."""
    paths = {}
    for path, methods in document["paths"].items():
        paths[path] = {}
        for method, operation in methods.items():
            if method in METHODS:
                integration = {"httpMethod": "POST", "uri": "none", **operation[INTEGRATION]}
                paths[path][method] = {**operation, INTEGRATION: integration}
    return {**document, "paths": paths}


def openapi(document):
    """The document without API Gateway's own spelling of a parameter that takes the rest of a path."""
    return {**document, "paths": {path.replace("+}", "}"): methods for path, methods in document["paths"].items()}}


def import_document(backend, api, document):
    models.validate(openapi(document))
    backend.put_rest_api(api.id, importable(document), fail_on_warnings=False, mode="overwrite")
    api.api_key_source = document.get("x-amazon-apigateway-api-key-source", "HEADER")

    api.authorizers.clear()
    authorizers = {}
    for name, scheme in document["components"]["securitySchemes"].items():
        if AUTHORIZER not in scheme:
            continue
        settings = scheme[AUTHORIZER]
        authorizers[name] = backend.create_authorizer(
            api.id,
            name,
            settings["type"].upper(),
            auth_type=scheme["x-amazon-apigateway-authtype"],
            authorizer_uri=settings["authorizerUri"],
            authorizer_credentials=settings["authorizerCredentials"],
            identity_source=f"method.request.header.{scheme['name']}",
            authorizer_result_ttl=settings["authorizerResultTtlInSeconds"],
        )
    for path, methods in document["paths"].items():
        resource = api.get_resource_for_path(path)
        for method, operation in methods.items():
            asked = [name for requirement in operation.get("security", []) for name in requirement]
            made = resource.resource_methods[method.upper()]
            made.api_key_required = "api_key" in asked
            for name in asked:
                if name in authorizers:
                    made.authorization_type = "CUSTOM"
                    made.authorizer_id = authorizers[name].id

    api.gateway_responses.clear()
    for response_type, response in document.get(GATEWAY_RESPONSES, {}).items():
        api.put_gateway_response(
            response_type,
            response["statusCode"],
            response["responseParameters"],
            response["responseTemplates"],
        )


create_rest_api = models.RestAPI.create_from_cloudformation_json.__func__


def create(cls, resource_name, cloudformation_json, account_id, region_name, **kwargs):
    api = create_rest_api(cls, resource_name, cloudformation_json, account_id, region_name, **kwargs)
    return update(cls, api, resource_name, cloudformation_json, account_id, region_name)


def update(_cls, original_resource, new_resource_name, cloudformation_json, account_id, region_name):
    properties = cloudformation_json["Properties"]
    original_resource.name = properties["Name"]
    if "Body" in properties:
        backend = models.apigateway_backends[account_id][region_name]
        import_document(backend, original_resource, properties["Body"])
    return original_resource


def delete(_cls, resource_name, cloudformation_json, account_id, region_name):
    models.apigateway_backends[account_id][region_name].apis.pop(resource_name, None)


models.RestAPI.create_from_cloudformation_json = classmethod(create)
models.RestAPI.update_from_cloudformation_json = classmethod(update)
models.RestAPI.delete_from_cloudformation_json = classmethod(delete)
models.Deployment.physical_resource_id = property(lambda deployment: deployment.id)


class Stage(CloudFormationModel):
    """A stage of an API; its name is what refers to it."""

    # moto takes the service out of it.
    __module__ = models.__name__

    def __init__(self, api_id, name):
        self.api_id = api_id
        self.name = name

    @property
    def physical_resource_id(self):
        return self.name

    @staticmethod
    def cloudformation_name_type():
        return "StageName"

    @staticmethod
    def cloudformation_type():
        return "AWS::ApiGateway::Stage"

    @classmethod
    def create_from_cloudformation_json(cls, resource_name, cloudformation_json, account_id, region_name, **kwargs):
        properties = cloudformation_json["Properties"]
        api = models.apigateway_backends[account_id][region_name].get_rest_api(properties["RestApiId"])
        api.create_stage(
            name=properties["StageName"],
            deployment_id=properties["DeploymentId"],
            variables={},
            description="",
            cacheClusterEnabled=False,
            cacheClusterSize=None,
            tags=None,
            tracing_enabled=properties.get("TracingEnabled", False),
        )
        return cls(properties["RestApiId"], properties["StageName"])

    @classmethod
    def update_from_cloudformation_json(
        cls, original_resource, new_resource_name, cloudformation_json, account_id, region_name
    ):
        properties = cloudformation_json["Properties"]
        api = models.apigateway_backends[account_id][region_name].get_rest_api(properties["RestApiId"])
        api.stages[properties["StageName"]].deployment_id = properties["DeploymentId"]
        return original_resource

    @classmethod
    def delete_from_cloudformation_json(cls, resource_name, cloudformation_json, account_id, region_name):
        backend = models.apigateway_backends[account_id][region_name]
        properties = cloudformation_json["Properties"]
        api = backend.apis.get(properties["RestApiId"])
        if api is not None:
            api.stages.pop(resource_name, None)
