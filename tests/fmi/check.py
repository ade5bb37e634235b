"""The rules of FMI 3.0 for modelDescription.xml and terminalsAndIcons.xml that a schema does not say, or that matter most.

    check.py FILE.fmu       prints what is wrong, a line each; silent where nothing is
"""
import re
import sys
import xml.etree.ElementTree as tree
import zipfile

# Section 2.4.7.5: which initial goes with which causality and variability; the first is the default.
CALCULATED = ("calculated", "approx")
INITIAL = {
    ("parameter", "fixed"): ("exact",), ("parameter", "tunable"): ("exact",),
    ("calculatedParameter", "fixed"): CALCULATED, ("calculatedParameter", "tunable"): CALCULATED,
    ("output", "discrete"): ("calculated", "exact", "approx"), ("output", "continuous"): ("calculated", "exact", "approx"),
    ("output", "constant"): ("exact",),
    ("local", "discrete"): ("calculated", "exact", "approx"), ("local", "continuous"): ("calculated", "exact", "approx"),
    ("local", "fixed"): CALCULATED, ("local", "tunable"): CALCULATED, ("local", "constant"): ("exact",),
    ("input", "discrete"): (None,), ("input", "continuous"): (None,), ("independent", "continuous"): (None,),
}


def check_variables(root, problems):
    variables = {}
    names = set()
    for element in root.find("ModelVariables"):
        name, reference = element.get("name"), element.get("valueReference")
        what = f"variable {name}"
        if reference in variables:
            problems.append(f"{what}: value reference {reference} is used twice")
        if name in names:
            problems.append(f"{what}: the name is used twice")
        names.add(name)
        variables[reference] = element
        causality = element.get("causality", "local")
        variability = element.get("variability", "continuous" if element.tag == "Float64" else "discrete")
        allowed = INITIAL.get((causality, variability))
        if allowed is None:
            problems.append(f"{what}: {causality} and {variability} do not go together")
            continue
        if element.tag != "Float64" and variability == "continuous":
            problems.append(f"{what}: {element.tag} cannot be continuous")
        initial = element.get("initial", allowed[0])
        if initial not in allowed:
            problems.append(f"{what}: initial {initial} with {causality} and {variability}")
        wants = initial in ("exact", "approx") or causality in ("parameter", "input")
        if wants != (element.get("start") is not None):
            problems.append(f"{what}: start is {'missing' if wants else 'there'} with initial {initial}, {causality}")
        unit = element.get("unit")
        if unit and root.find(f"UnitDefinitions/Unit[@name='{unit}']") is None:
            problems.append(f"{what}: unit {unit} is not defined")
        declared = element.get("declaredType")
        if element.tag == "Enumeration" and root.find(f"TypeDefinitions/EnumerationType[@name='{declared}']") is None:
            problems.append(f"{what}: type {declared} is not defined")
    if [v.get("causality") for v in variables.values()].count("independent") != 1:
        problems.append("expected one independent variable")
    for element in variables.values():
        of = element.get("derivative")
        if of is not None and (of not in variables or variables[of].get("variability") != "continuous"):
            problems.append(f"variable {element.get('name')}: derivative of {of}, which is no continuous variable")
    return variables


def check_structure(root, variables, problems):
    def listed(tag):
        references = [e.get("valueReference") for e in root.findall(f"ModelStructure/{tag}")]
        if len(set(references)) != len(references):
            problems.append(f"{tag}: a variable is listed twice")
        for reference in references:
            if reference not in variables:
                problems.append(f"{tag}: no variable {reference}")
        return references

    outputs, rates, unknown, indicators = (
        listed(tag) for tag in ("Output", "ContinuousStateDerivative", "InitialUnknown", "EventIndicator"))
    if set(outputs) != {r for r, v in variables.items() if v.get("causality") == "output"}:
        problems.append("Output: expected all variables with causality output and no other")
    for reference in rates:
        if variables[reference].get("derivative") is None:
            problems.append(f"ContinuousStateDerivative: {variables[reference].get('name')} has no derivative")
    states = [variables[r].get("derivative") for r in rates]
    if len(set(states)) != len(states):
        problems.append("ContinuousStateDerivative: two derivatives of one state")
    for reference in indicators:
        if variables[reference].get("variability") != "continuous" or variables[reference].tag != "Float64":
            problems.append(f"EventIndicator: {variables[reference].get('name')} is no continuous number")
    expected = set()
    for reference, variable in variables.items():
        calculated = variable.get("initial", "calculated") in CALCULATED
        if (variable.get("causality") == "calculatedParameter" or
                (calculated and (variable.get("causality") == "output" or reference in rates or reference in states))):
            expected.add(reference)
    if set(unknown) != expected:
        problems.append(f"InitialUnknown: found {sorted(unknown)}, expected {sorted(expected)}")
    if root.find("ModelExchange") is None and (rates or indicators):
        problems.append("derivatives or indicators without model exchange")


def check(path):
    problems = []
    with zipfile.ZipFile(path) as archive:
        if archive.testzip():
            problems.append("the archive is damaged")
        names = set(archive.namelist())
        root = tree.fromstring(archive.read("modelDescription.xml"))
        if root.tag != "fmiModelDescription" or root.get("fmiVersion") != "3.0":
            problems.append("expected fmiModelDescription of version 3.0")
        if not re.fullmatch(r"\{[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\}", root.get("instantiationToken", "")):
            problems.append("instantiationToken: expected a GUID")
        kinds = [k for k in ("ModelExchange", "CoSimulation") if root.find(k) is not None]
        if not kinds:
            problems.append("expected model exchange or co-simulation")
        for kind in kinds:
            identifier = root.find(kind).get("modelIdentifier")
            if not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", identifier):
                problems.append(f"{kind}: {identifier} is no identifier")
            if f"binaries/x86_64-linux/{identifier}.so" not in names:
                problems.append(f"{kind}: there is no binary {identifier}.so")
        if "documentation/externalDependencies.txt" not in names:
            problems.append("the libraries that the binary needs are not listed")
        variables = check_variables(root, problems)
        check_structure(root, variables, problems)
        if "terminalsAndIcons/terminalsAndIcons.xml" in names:
            terminals = tree.fromstring(archive.read("terminalsAndIcons/terminalsAndIcons.xml")).findall("Terminals/Terminal")
            known = {v.get("name") for v in variables.values()}
            if len({t.get("name") for t in terminals}) != len(terminals):
                problems.append("two terminals have one name")
            for member in (m for t in terminals for m in t.findall("TerminalMemberVariable")):
                if member.get("variableName") not in known:
                    problems.append(f"terminal: no variable {member.get('variableName')}")
    return problems


if __name__ == "__main__":
    found = check(sys.argv[1])
    print("\n".join(found), end="\n" if found else "")
    sys.exit(1 if found else 0)
