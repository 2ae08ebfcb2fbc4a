#include "bench/cases.h"

#include <fstream>
#include <sstream>

namespace maskloom::bench {

const std::vector<Case>& Cases() {
  static const auto* cases = new std::vector<Case>{
      {"person",
       R"({"name": "Ingrid Solberg", "age": 41, "email": "ingrid.solberg@havforskning.org",)"
       R"( "married": true, "tags": ["biology", "diving"]})"},
      {"korean_person", R"({"나이": 29, "이름": "김민준"})"},
      {"contact_patterns",
       R"({"id": "9f1b6f0e-3c1d-4b52-8a77-5d0c2f4e9b10", "born": "1987-04-23",)"
       R"( "phone": "+4915112345678", "email": "a.weber@example.org",)"
       R"( "homepage": "https://example.org/people/weber?lang=de", "client_version": "2.11.0-rc.1",)"
       R"( "favourite_colour": "#3a7bd5", "last_ip": "192.168.17.254"})"},
      {"country", R"({"code": "KR", "capital": "Seoul", "population": 51751065})"},
      {"meeting_slot",
       R"({"zone": "America/Argentina/Buenos_Aires", "date": "2025-11-30", "start": "14:45",)"
       R"( "minutes": 90})"},
      {"tool_call",
       R"({"name": "send_email", "arguments": {"to": ["kim@example.com", "li@example.org"],)"
       R"( "subject": "Minutes of Monday", "body": "Dear all,\nplease find them below.\n\nKim",)"
       R"( "urgent": false}})"},
      {"geojson",
       R"({"type": "FeatureCollection", "features": [{"type": "Feature", "id": 7,)"
       R"( "geometry": {"type": "Polygon", "coordinates": [[[8.5402, 47.3782], [8.6011, 47.3782],)"
       R"( [8.6011, 47.4105], [8.5402, 47.3782]]]}, "properties": {"name": "Oerlikon",)"
       R"( "population": 23482}}]})"},
      {"invoice",
       R"({"number": "INV-2025-00417", "issued": "2025-02-28", "currency": "EUR",)"
       R"( "seller": {"name": "Weber & Söhne GmbH", "address": ["Hauptstraße 5", "10115 Berlin"]},)"
       R"( "buyer": {"name": "ACME", "address": ["1 Main Street"]}, "lines": [{"description":)"
       R"( "Copper wire, 2.5 mm²", "quantity": 120, "unit_price": 1.85, "tax_percent": 19},)"
       R"( {"description": "Delivery", "quantity": 1, "unit_price": 24.9}], "total": 293.94})"},
      {"deployment",
       R"({"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web-frontend",)"
       R"( "labels": {"app.kubernetes.io/name": "web"}}, "spec": {"replicas": 3, "selector":)"
       R"( {"matchLabels": {"app": "web"}}, "template": {"metadata": {"labels": {"app": "web"}},)"
       R"( "spec": {"containers": [{"name": "nginx", "image": "registry.example.org/nginx:1.27",)"
       R"( "ports": [{"containerPort": 8080}], "resources": {"limits": {"cpu": "500m",)"
       R"( "memory": "256Mi"}}}]}}}})"},
      {"comment_thread",
       R"({"author": "mira", "text": "Does this also work offline?", "likes": 3, "replies":)"
       R"( [{"author": "tom", "text": "Yes, once the model is there.", "replies": [{"author":)"
       R"( "mira", "text": "Thank you!", "replies": []}]}]})"},
      {"log_event",
       R"({"time": "2025-06-01T12:30:45.123Z", "level": "warn", "message":)"
       R"( "retrying \"orders\" in 250 ms", "service": "checkout", "attempt": 2, "tags":)"
       R"( {"region": "eu-west-1"}})"},
      {"expression_tree",
       R"({"operator": "+", "left": {"number": 1}, "right": {"call": "sqrt", "arguments":)"
       R"( [{"operator": "*", "left": {"name": "x"}, "right": {"name": "x"}}]}})"},
      {"matrix", R"({"name": "A", "rows": [[1, 0, -2.5], [0, 1, 1e3], [0.125, 7, 1]]})"},
  };
  return *cases;
}

std::string ReadSchema(std::string_view name) {
  std::ifstream in(std::string(MASKLOOM_SOURCE_ROOT "/schemas/") + std::string(name) + ".json",
                   std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

}  // namespace maskloom::bench
