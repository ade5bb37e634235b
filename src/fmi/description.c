#include "fmi/description.h"

#include "model/emit.h"
#include "result/result.h"

#include <math.h>
#include <stdio.h>

typedef slip_fmi_description described;

/* Text in an attribute. Characters that XML does not have, or would change, go. */
static void attribute(slip_text *text, const char *name, const char *value)
{
    slip_text_printf(text, " %s=\"", name);
    for (const char *c = value; *c; c++)
        if (*c == '&' || *c == '<' || *c == '>' || *c == '"')
            slip_text_append(text, *c == '&' ? "&amp;" : *c == '<' ? "&lt;" : *c == '>' ? "&gt;" : "&quot;");
        else if ((unsigned char)*c < ' ')
            slip_text_append(text, " ");
        else
            slip_text_append_bytes(text, c, 1);
    slip_text_append(text, "\"");
}

static void number(slip_text *text, const char *name, double value)
{
    slip_text_printf(text, " %s=\"", name);
    slip_emit_number(text, value);
    slip_text_append(text, "\"");
}

/* ---- What comes before the variables. */

static void describe_kinds(const described *d, slip_text *text)
{
    if (d->exchange) {
        slip_text_append(text, "  <ModelExchange");
        attribute(text, "modelIdentifier", d->identifier);
        slip_text_append(
            text, " needsCompletedIntegratorStep=\"true\" providesDirectionalDerivatives=\"true\"/>\n");
    }
    slip_text_append(text, "  <CoSimulation");
    attribute(text, "modelIdentifier", d->identifier);
    slip_text_append(text,
                     " canHandleVariableCommunicationStepSize=\"true\" canGetAndSetFMUState=\"true\"/>\n");
}

/* The units that series have, each once. */
static void describe_units(const described *d, slip_text *text)
{
    const slip_outputs *outputs = &d->layout.model->outputs;
    bool any = false;
    for (int k = 0; k < outputs->series_count; k++) {
        const char *unit = outputs->units[k];
        bool before = !unit;
        for (int other = 0; other < k && !before; other++)
            before = outputs->units[other] && strcmp(unit, outputs->units[other]) == 0;
        if (before)
            continue;
        slip_text_append(text, any ? "" : "  <UnitDefinitions>\n");
        slip_text_append(text, "    <Unit");
        attribute(text, "name", unit);
        slip_text_append(text, "/>\n");
        any = true;
    }
    slip_text_append(text, any ? "  </UnitDefinitions>\n" : "");
}

static void describe_modes(const described *d, slip_text *text)
{
    if (d->layout.contacts == 0)
        return;
    slip_text_append(text, "  <TypeDefinitions>\n    <EnumerationType name=\"contact_mode\">\n");
    for (int mode = SLIP_MODE_OPEN; mode <= SLIP_MODE_CLOSED; mode++) {
        slip_text_append(text, "      <Item");
        attribute(text, "name", slip_mode_name((slip_mode)mode));
        slip_text_printf(text, " value=\"%d\"/>\n", mode);
    }
    slip_text_append(text, "    </EnumerationType>\n  </TypeDefinitions>\n");
}

static void describe_experiment(const described *d, slip_text *text)
{
    const slip_run_options *run = &d->layout.model->simulate;
    slip_text_append(text, "  <LogCategories>\n    <Category name=\"logStatusError\"/>\n"
                           "    <Category name=\"logStatusWarning\"/>\n  </LogCategories>\n"
                           "  <DefaultExperiment");
    number(text, "startTime", isnan(run->start) ? 0 : run->start);
    if (!isnan(run->end))
        number(text, "stopTime", run->end);
    if (!isnan(run->tolerance))
        number(text, "tolerance", run->tolerance);
    slip_text_append(text, "/>\n");
}

/* ---- Variables. */

static void begin(slip_text *text, const char *type, const char *name, int reference, const char *causality,
                  const char *variability)
{
    slip_text_printf(text, "    <%s", type);
    attribute(text, "name", name);
    slip_text_printf(text, " valueReference=\"%d\" causality=\"%s\" variability=\"%s\"", reference, causality,
                     variability);
}

static void describe_series(const described *d, int k, slip_text *text)
{
    const slip_fmi_layout *l = &d->layout;
    const slip_outputs *outputs = &l->model->outputs;
    const int state = slip_fmi_state_of(l, k);
    const bool coordinate = k > 0 && k < l->first_contact;
    if (k == 0) {
        begin(text, "Float64", "t", 0, "independent", "continuous");
    } else if (slip_fmi_is_mode(l, k)) {
        begin(text, "Enumeration", l->names[k], k, "output", "discrete");
        slip_text_append(text, " declaredType=\"contact_mode\" initial=\"calculated\"/>\n");
        return;
    } else if (state >= 0) {
        begin(text, "Float64", l->names[k], k, "output", "continuous");
        slip_text_append(text, d->follows[state] ? " initial=\"calculated\"" : " initial=\"exact\"");
        if (!d->follows[state])
            number(text, "start", d->start[state]);
        if (d->exchange && coordinate && state >= l->coordinates)
            slip_text_printf(text, " derivative=\"%d\"", k - 1);
        if (d->exchange)
            slip_text_append(text, " reinit=\"true\"");
    } else {
        begin(text, "Float64", l->names[k], k, "output", "continuous");
        slip_text_append(text, " initial=\"calculated\"");
        if (d->exchange && coordinate)
            slip_text_printf(text, " derivative=\"%d\"", k - 1);
    }
    if (outputs->units && outputs->units[k])
        attribute(text, "unit", outputs->units[k]);
    slip_text_append(text, "/>\n");
}

static bool is_computed(const slip_model *model, int index)
{
    return model->parameter_rules && model->parameter_rules[index];
}

static void describe_parameter(const described *d, int index, slip_text *text)
{
    const slip_fmi_layout *l = &d->layout;
    const slip_symbol *parameter = &l->model->parameters[index];
    const int reference = l->first_parameter + index;
    if (is_computed(l->model, index) && !d->inputs[index]) {
        begin(text, "Float64", parameter->name, reference, "calculatedParameter", "tunable");
        slip_text_append(text, " initial=\"calculated\"/>\n");
        return;
    }
    begin(text, "Float64", parameter->name, reference, d->inputs[index] ? "input" : "parameter",
          d->inputs[index] ? "continuous" : "tunable");
    number(text, "start", parameter->value);
    slip_text_append(text, "/>\n");
}

static void describe_variables(const described *d, slip_text *text)
{
    const slip_fmi_layout *l = &d->layout;
    char name[400];
    slip_text_append(text, "  <ModelVariables>\n");
    for (int k = 0; k < l->first_rate; k++)
        describe_series(d, k, text);
    for (int k = 0; k < l->states && d->exchange; k++) {
        snprintf(name, sizeof name, "der(%.300s)", l->names[l->first_state + k]);
        begin(text, "Float64", name, l->first_rate + k, "local", "continuous");
        slip_text_printf(text, " initial=\"calculated\" derivative=\"%d\"/>\n", l->first_state + k);
    }
    for (int k = 0; k < l->parameters; k++)
        describe_parameter(d, k, text);
    for (int k = 0; k < d->indicator_count && d->exchange; k++) {
        snprintf(name, sizeof name, "indicator(%.300s)", d->indicators[k]);
        begin(text, "Float64", name, l->first_indicator + k, "local", "continuous");
        slip_text_append(text, " initial=\"calculated\"/>\n");
    }
    slip_text_append(text, "  </ModelVariables>\n");
}

/* ---- Structure. */

static void refer(slip_text *text, const char *element, int reference)
{
    slip_text_printf(text, "    <%s valueReference=\"%d\"/>\n", element, reference);
}

static void describe_structure(const described *d, slip_text *text)
{
    const slip_fmi_layout *l = &d->layout;
    slip_text_append(text, "  <ModelStructure>\n");
    for (int k = 1; k < l->first_rate; k++)
        refer(text, "Output", k);
    for (int k = 0; k < slip_fmi_state_count(l) && d->exchange; k++)
        refer(text, "ContinuousStateDerivative", slip_fmi_rate(l, k));
    for (int k = 1; k < l->first_rate; k++) {
        const int state = slip_fmi_state_of(l, k);
        if (state < 0 || d->follows[state])
            refer(text, "InitialUnknown", k);
    }
    for (int k = 0; k < l->states && d->exchange; k++)
        refer(text, "InitialUnknown", l->first_rate + k);
    for (int k = 0; k < l->parameters; k++)
        if (is_computed(l->model, k) && !d->inputs[k])
            refer(text, "InitialUnknown", l->first_parameter + k);
    for (int k = 0; k < d->indicator_count && d->exchange; k++)
        refer(text, "EventIndicator", l->first_indicator + k);
    slip_text_append(text, "  </ModelStructure>\n");
}

void slip_fmi_describe(const slip_fmi_description *d, slip_text *text)
{
    const char *title = d->layout.model->title;
    slip_text_append(text,
                     "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<fmiModelDescription fmiVersion=\"3.0\"");
    attribute(text, "modelName", *title ? title : d->identifier);
    attribute(text, "instantiationToken", d->token);
    slip_text_printf(text, " generationTool=\"slipstick %s\" variableNamingConvention=\"flat\">\n",
                     slip_version());
    describe_kinds(d, text);
    describe_units(d, text);
    describe_modes(d, text);
    describe_experiment(d, text);
    describe_variables(d, text);
    describe_structure(d, text);
    slip_text_append(text, "</fmiModelDescription>\n");
}

void slip_fmi_describe_terminals(const slip_fmi_description *d, slip_text *text)
{
    const slip_fmi_layout *l = &d->layout;
    slip_text_append(text, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                           "<fmiTerminalsAndIcons fmiVersion=\"3.0\">\n  <Terminals>\n");
    for (int c = 0; c < l->contacts; c++) {
        slip_text_append(text, "    <Terminal");
        attribute(text, "name", l->model->system->contacts[c].name);
        slip_text_append(text, " matchingRule=\"plug\" terminalKind=\"contact\">\n");
        for (int part = 0; part < 4; part++) {
            slip_text_append(text, "      <TerminalMemberVariable variableKind=\"signal\"");
            attribute(text, "memberName", slip_contact_parts[part]);
            attribute(text, "variableName", l->names[l->first_contact + 4 * c + part]);
            slip_text_append(text, "/>\n");
        }
        slip_text_append(text, "    </Terminal>\n");
    }
    slip_text_append(text, "  </Terminals>\n</fmiTerminalsAndIcons>\n");
}
