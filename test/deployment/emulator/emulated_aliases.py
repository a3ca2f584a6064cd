"""Versions and aliases of Lambda functions for the emulated AWS, which moto has and its CloudFormation has not.

Import it before moto's server starts. moto 5.2.2: moto/awslambda/models.py
"""

import copy

from moto.awslambda import models
from moto.cloudformation import parsing
from moto.core.common_models import CloudFormationModel

models.LambdaVersion.has_cfn_attr = classmethod(lambda _cls, attribute: attribute == "Version")
models.LambdaVersion.get_cfn_attribute = lambda version, _attribute: str(version.version)


def publish_version(storage, name_or_arn, description=""):
    """moto counts the versions that are there, so that a number comes twice when one was deleted."""
    function = storage.get_function_by_name_or_arn_forbid_qualifier(name_or_arn)
    known = storage._functions[function.function_name]["versions"]
    if known and not function.code_or_config_updated:
        return known[-1]
    function.code_or_config_updated = False
    function.published = getattr(function, "published", 0) + 1
    version = copy.copy(function)
    version.code = dict(function.code)
    version.set_version(function.published)
    known.append(version)
    storage._arns[version.function_arn] = version
    return version


models.LambdaStorage.publish_version = publish_version


def make_version(cls, resource_name, cloudformation_json, account_id, region_name, **kwargs):
    name = cloudformation_json["Properties"]["FunctionName"]
    published = backend(account_id, region_name).publish_version(name)
    version = cls({"Version": published.version})
    version.function_name = name
    return version


def delete_version(version, account_id, region_name):
    backend(account_id, region_name).delete_function(version.function_name, str(version.version))


models.LambdaVersion.create_from_cloudformation_json = classmethod(make_version)
models.LambdaVersion.delete = delete_version
models.LambdaVersion.physical_resource_id = property(
    lambda version: f"{version.function_name}:{version.version}"
)

make_resource = parsing.parse_and_create_resource


def change_function_first(resource_json, resources_map, account_id, region_name):
    """moto makes what is new before it changes anything, and would publish the function as it was."""
    function_id = resource_json["Properties"]["FunctionName"]["Ref"]
    if resources_map._parsed_resources.get(function_id) is not None:
        parsing.parse_and_update_resource(
            function_id,
            resources_map._resource_json_map[function_id],
            resources_map,
            account_id=account_id,
            region_name=region_name,
        )


def make_after_others(logical_id, resource_json, resources_map, *args, **kwargs):
    """moto makes what a resource refers to before it, and not what it depends on."""
    depends_on = resource_json.get("DependsOn", [])
    for other in [depends_on] if isinstance(depends_on, str) else depends_on:
        resources_map[other]
    if resource_json["Type"] == "AWS::Lambda::Version":
        change_function_first(resource_json, resources_map, **kwargs)
    return make_resource(logical_id, resource_json, resources_map, *args, **kwargs)


parsing.parse_and_create_resource = make_after_others


def backend(account_id, region_name):
    return models.lambda_backends[account_id][region_name]


def settings(properties):
    routing = properties.get("RoutingConfig", {}).get("AdditionalVersionWeights", [])
    weights = {str(one["FunctionVersion"]): one["FunctionWeight"] for one in routing}
    return {
        "name": properties["Name"],
        "function_name": properties["FunctionName"],
        "function_version": str(properties["FunctionVersion"]),
        "description": "",
        "routing_config": {"AdditionalVersionWeights": weights} if weights else {},
    }


class Alias(CloudFormationModel):
    """What refers to an alias means its ARN."""

    # moto takes the service out of it.
    __module__ = models.__name__

    def __init__(self, arn):
        self.arn = arn

    @property
    def physical_resource_id(self):
        return self.arn

    @staticmethod
    def cloudformation_name_type():
        return "AliasName"

    @staticmethod
    def cloudformation_type():
        return "AWS::Lambda::Alias"

    @classmethod
    def create_from_cloudformation_json(cls, resource_name, cloudformation_json, account_id, region_name, **kwargs):
        alias = backend(account_id, region_name).create_alias(**settings(cloudformation_json["Properties"]))
        return cls(alias.arn)

    @classmethod
    def update_from_cloudformation_json(
        cls, original_resource, new_resource_name, cloudformation_json, account_id, region_name
    ):
        backend(account_id, region_name).update_alias(**settings(cloudformation_json["Properties"]))
        return original_resource

    @classmethod
    def delete_from_cloudformation_json(cls, resource_name, cloudformation_json, account_id, region_name):
        properties = cloudformation_json["Properties"]
        backend(account_id, region_name).delete_alias(properties["Name"], properties["FunctionName"])
